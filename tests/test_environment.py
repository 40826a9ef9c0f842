"""Where the user is at home, what a folder is called, which program a name means."""

from __future__ import annotations

import io
import os
import pwd
from pathlib import Path

import pytest

from gitsession import environment
from gitsession.cli.main import main
from gitsession.environment import Environment, find_program
from gitsession.errors import UsageError


@pytest.mark.parametrize("home", ["", "relative", "~", None])
def test_a_home_that_is_no_full_path_is_not_believed(
    home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would lie in the project."""
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    assert Environment.current().home_folder == pwd.getpwuid(os.getuid()).pw_dir


def test_without_any_home_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A user of a container whom no list of users names."""

    def nobody(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError):
        Environment.current()
    err = io.StringIO()
    assert main(["save"], stdout=io.StringIO(), stderr=err) == 2
    assert err.getvalue().startswith("error: this user has no home folder\nhint: set HOME")
    assert sorted(tmp_path.iterdir()) == before


def test_folders_of_a_mac_lie_in_this_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = Environment({}, tmp_path, "/")
    monkeypatch.setattr(environment.sys, "platform", "darwin")
    library = f"{tmp_path}/Library"
    assert user.folder("cache") == f"{library}/Caches/gitsession"
    for kind in ("data", "config", "state"):
        assert user.folder(kind) == f"{library}/Application Support/gitsession"
    user.variables["XDG_CONFIG_HOME"] = "/elsewhere"
    assert user.folder("config") == "/elsewhere/gitsession"


def test_the_current_folder_has_no_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project that brings a git of its own must not be asked what it is."""
    for place in ("bin", "project"):
        (tmp_path / place).mkdir()
        for name in ("git", "agent.cmd", "agent"):
            (tmp_path / place / name).write_text("")
            (tmp_path / place / name).chmod(0o700)
    monkeypatch.chdir(tmp_path / "project")
    path = {"PATH": f"{os.pathsep}{tmp_path / 'bin'}"}
    assert find_program("git", path) == str(tmp_path / "bin" / "git")
    assert find_program("git", {"PATH": ""}) == ""
    monkeypatch.setattr(environment, "_ENDINGS_OF_SCRIPTS", (".exe", ".cmd"))
    assert find_program("agent", path, script=True) == str(tmp_path / "bin" / "agent.cmd")
