"""What is shared goes to the remote that was named, and nowhere else."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.conftest import PROGRAM, Person, a_session, person
from tests.acceptance.test_code_repository import commit, git

__all__ = ["person"]


def fingerprint(folder: Path) -> str:
    lines = [f"{path} {path.read_bytes()!r}" for path in sorted(folder.rglob("*")) if
             path.is_file()]  # fmt: skip
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.fixture
def remotes(person: Person, tmp_path: Path) -> dict[str, Path]:
    """Two remotes of the store, and the code repository's own."""
    made = {}
    for name in ("team", "other", "code"):
        made[name] = tmp_path / f"{name}.git"
        git(tmp_path, "init", "-q", "--bare", str(made[name]))
    git(person.project, "init", "-q")
    (person.project / "a.txt").write_text("a\n")
    commit(person.project, "first")
    git(person.project, "remote", "add", "origin", str(made["code"]))
    git(person.project, "push", "-q", "origin", "HEAD")
    person.writes(a_session(person, "one", "two"))
    assert person.types("save").code == 0
    for name in ("team", "other"):
        assert person.types("remote", "add", name, str(made[name])).code == 0
    return made


def heads(folder: Path) -> str:
    return git(folder, "for-each-ref", "--format=%(refname)", "refs/heads").strip()


def test_LC17_push_writes_to_the_named_remote_alone(
    person: Person, remotes: dict[str, Path]
) -> None:
    assert person.types("push").code != 0, "with two remotes none is guessed"
    before = {name: fingerprint(path) for name, path in remotes.items()}
    project = fingerprint(person.project)
    done = person.types("push", "--yes", "team")
    assert done.code == 0, done.err
    assert "/main" in heads(remotes["team"])
    for name in ("other", "code"):
        assert fingerprint(remotes[name]) == before[name]
    assert fingerprint(person.project) == project
    assert "refs/remotes/other" not in person.git("for-each-ref")


def test_LC17_nothing_leaves_without_being_asked(person: Person, remotes: dict[str, Path]) -> None:
    """Private is the default: no other verb sends anything."""
    before = {name: fingerprint(path) for name, path in remotes.items()}
    for argv in (
        ("save",), ("list",), ("log",), ("status",), ("show", "HEAD"), ("diff",),
        ("branch", "b"), ("tag", "t"), ("checkout", "HEAD~1"), ("undo",), ("export", "HEAD"),
        ("fsck",), ("fetch", "team"), ("remote", "-v"), ("scan",),
    ):  # fmt: skip
        person.types(*argv)
    assert {name: fingerprint(path) for name, path in remotes.items()} == before


def traced(person: Person, tmp_path: Path, *argv: str) -> str:
    """The connections that a command and all its children make, by strace."""
    log = tmp_path / "trace"
    done = subprocess.run(
        ["strace", "-f", "-e", "trace=connect,sendto", "-o", str(log), *PROGRAM, *argv],
        cwd=person.project, env=dict(person.process_variables), capture_output=True, check=False,
        timeout=120,
    )  # fmt: skip
    if not log.exists() or b"ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    return log.read_text(errors="replace")


@pytest.mark.skipif(not shutil.which("strace"), reason="no strace")
def test_LC17_no_other_connection_is_made(
    person: Person, remotes: dict[str, Path], tmp_path: Path
) -> None:
    said = traced(person, tmp_path, "push", "--yes", "team")
    said += traced(person, tmp_path, "export", "HEAD", "-o", str(tmp_path / "page.md"))
    assert re.findall(r"AF_INET6?.*", said) == []
    assert (tmp_path / "page.md").exists() and heads(remotes["team"])


def test_LC17_a_page_is_written_to_the_named_file_alone(
    person: Person, remotes: dict[str, Path], tmp_path: Path
) -> None:
    before = {name: fingerprint(path) for name, path in remotes.items()}
    project = fingerprint(person.project)
    (tmp_path / "out").mkdir()
    assert person.types("export", "-o", str(tmp_path / "out" / "page.md")).code == 0
    assert os.listdir(tmp_path / "out") == ["page.md"]
    assert {name: fingerprint(path) for name, path in remotes.items()} == before
    assert fingerprint(person.project) == project
