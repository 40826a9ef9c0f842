"""Guards for plain git: the store's own pre-push, and the hooks for code repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsession.redaction.engine import Engine
from gitsession.store.pre_push import SCRIPT
from tests.acceptance.conftest import Person, a_session

ROOT = Path(__file__).resolve().parent.parent.parent
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
Git = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def git(person: Person, tmp_path: Path) -> Git:
    """git as the person has it, with a `gitsession` on the PATH."""
    programs = tmp_path / "bin"
    programs.mkdir()
    script = programs / "gitsession"
    script.write_text(
        f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -m gitsession \"$@\"\n"
    )
    script.chmod(0o755)
    real = shutil.which("git") or "git"
    variables = {
        **person.environment.variables, "PATH": f"{programs}:{os.environ['PATH']}",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b.example",
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b.example",
    }  # fmt: skip

    def run(
        *arguments: str, folder: Path | None = None, without: bool = False
    ) -> subprocess.CompletedProcess[str]:
        path = {"PATH": "/usr/bin:/bin"} if without else {}
        return subprocess.run(
            [real, "-C", str(folder or person.repository.store_path), *arguments],
            env={**variables, **path}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_the_script_in_the_project_is_the_one_in_a_store(person: Person) -> None:
    assert (ROOT / "hooks" / "pre-push").read_text() == SCRIPT
    hook = person.repository.store_path / "hooks" / "pre-push"
    assert hook.read_text() == SCRIPT and os.access(hook, os.X_OK)


def test_a_bare_push_passes_the_same_scan(
    person: Person, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.writes(a_session(person, "one", "two"))
    person.saves()
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    clean = git("push", f"file://{bare}", "refs/heads/*:refs/heads/*")
    assert clean.returncode == 0, clean.stderr
    session = a_session(person, "one", "two", f"export GITHUB_TOKEN={TOKEN}")
    person.writes(session)
    with monkeypatch.context() as blind:
        blind.setattr(Engine, "find", lambda self, source, name=b"": [])
        blind.setattr(Engine, "find_vendor", lambda self, source: [])
        person.saves()
    refused = git("push", f"file://{bare}", "refs/heads/*:refs/heads/*")
    assert refused.returncode != 0
    assert "4 secrets found in what would be sent" in refused.stderr and TOKEN not in refused.stderr
    assert TOKEN.encode() not in b"".join(
        path.read_bytes() for path in bare.rglob("*") if path.is_file()
    )
    assert git("push", "--no-verify", f"file://{bare}", "refs/heads/*:refs/heads/*").returncode == 0


def test_what_never_leaves_is_refused(person: Person, git: Git, tmp_path: Path) -> None:
    person.writes(a_session(person, "one", "two"))
    person.saves()
    person.repository.create_branch("gone")
    person.repository.delete_branch("gone")
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    done = git("push", "--mirror", f"file://{bare}")
    assert done.returncode != 0 and "never sent" in done.stderr


def test_without_gitsession_nothing_leaves(person: Person, git: Git, tmp_path: Path) -> None:
    person.writes(a_session(person, "one"))
    person.saves()
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    done = git("push", f"file://{bare}", "refs/heads/*:refs/heads/*", without=True)
    assert done.returncode != 0 and "not on the PATH" in done.stderr


def test_the_hook_of_a_code_repository(git: Git, tmp_path: Path) -> None:
    code = tmp_path / "code"
    subprocess.run(["git", "init", "-q", str(code)], check=True)
    shutil.copy(ROOT / "hooks" / "pre-commit", code / ".git" / "hooks" / "pre-commit")
    (code / "session with space.jsonl").write_text('{"text": "nothing here"}\n')
    git("add", ".", folder=code)
    done = git("commit", "-m", "clean", folder=code)
    assert done.returncode == 0, done.stderr
    (code / "more.jsonl").write_text(f'{{"text": "token {TOKEN}"}}\n')
    git("add", ".", folder=code)
    (code / "more.jsonl").write_text("not what is staged\n")
    done = git("commit", "-m", "secret", folder=code)
    assert done.returncode != 0 and "nothing was committed" in done.stderr
    assert TOKEN not in done.stderr + done.stdout
