"""resume: consent, then the agent takes the place of this process."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from gitsession.errors import Conflict
from gitsession.model.history import Version
from gitsession.model.report import Checkout

from .conftest import Cli, Fake

VERSION = Version("a" * 40, "b" * 40, (), 0, "add a login page", {}, "")


Started = dict[str, Any]


class Repository(Fake):
    def __init__(self, cwd: str, *, other_project: bool = False, foreign: bool = False) -> None:
        self.cwd = cwd
        self.other_project, self.foreign = other_project, foreign
        self.asked: tuple[Any, ...] | None = None

    def newest_session(self) -> str:
        return "newest-1a2b"

    def check_resume(self, revision: str, *, any_project: bool, trust: bool) -> None:
        if self.other_project and not any_project:
            raise Conflict("that session belongs to another project", hint="--any-project")
        if self.foreign and not trust:
            raise Conflict("that session was made by Eve <\x1b[31me@x>: 4 messages", hint="--trust")

    def checkout(self, revision: str, **wishes: Any) -> Checkout:
        self.asked = (revision, wishes)
        command = ("fake-agent", "--resume", "it's")
        return Checkout(VERSION, "a-1/main-2", "codex", "id", "/f.jsonl", command, self.cwd)


@pytest.fixture
def agent(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """An agent on PATH, and what it was started with."""
    program = tmp_path / "bin" / "fake-agent"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    cli.environment.variables["PATH"] = str(program.parent)
    seen: dict[str, Any] = {}

    def execve(path: str, arguments: list[str], variables: dict[str, str]) -> None:
        umask = os.umask(0)
        os.umask(umask)
        seen.update(
            path=path, arguments=arguments, variables=variables, umask=umask, cwd=os.getcwd()
        )

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.chdir(tmp_path)
    return seen


def test_the_agent_gets_the_users_own_world(cli: Cli, agent: Started, tmp_path: Path) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    done = cli.fake(Repository(str(project)))("resume")
    assert done.code == 0
    assert agent["arguments"] == ["fake-agent", "--resume", "it's"]
    assert agent["path"] == str(tmp_path / "bin" / "fake-agent")
    assert agent["cwd"] == str(project) == agent["variables"]["PWD"]
    assert agent["umask"] == 0o022
    assert """cd '""" in done.out and """'it'"'"'s'""" in done.out


def test_latest_is_the_newest_other_session(cli: Cli, agent: Started, tmp_path: Path) -> None:
    repository = Repository(str(tmp_path))
    cli.fake(repository)("resume", "LATEST", "-b", "again")
    assert repository.asked is not None
    assert repository.asked[0] == "newest-1a2b" and repository.asked[1]["branch"] == "again"


def test_another_project_needs_the_flag(cli: Cli, agent: Started, tmp_path: Path) -> None:
    repository = Repository(str(tmp_path), other_project=True)
    assert cli.fake(repository)("resume").code == 13
    assert repository.asked is None and not agent
    assert cli("resume", "--any-project").code == 0


def test_a_foreign_session_is_shown_and_asks(cli: Cli, agent: Started, tmp_path: Path) -> None:
    repository = Repository(str(tmp_path), foreign=True)
    assert cli.fake(repository)("resume").code == 13
    assert repository.asked is None and not agent
    cli.terminal = True
    assert cli("resume", stdin="n\n").code == 13
    assert repository.asked is None and not agent
    agreed = cli("resume", stdin="y\n")
    assert agreed.code == 0 and agent
    assert "Eve <␛[31me@x>: 4 messages" in agreed.err
    assert repository.asked is not None and repository.asked[1]["trust"] is False  # type: ignore[unreachable]


def test_an_agent_that_is_not_installed(cli: Cli, tmp_path: Path) -> None:
    cli.environment.variables["PATH"] = str(tmp_path / "nothing")
    done = cli.fake(Repository(str(tmp_path)))("resume")
    assert done.code == 12 and "fake-agent is not installed" in done.err


def test_a_folder_that_is_gone(cli: Cli, agent: Started, tmp_path: Path) -> None:
    done = cli.fake(Repository(str(tmp_path / "gone")))("resume")
    assert done.code == 16 and "--project" in done.err and not agent
