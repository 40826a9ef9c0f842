"""A person at a shell: every command a process of its own, with an own HOME and an own TMPDIR."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.conftest import every_byte
from tests.builders import CLAUDE_ID, Claude
from tests.conftest import ROOT

__all__ = ["every_byte"]

PROGRAM = (sys.executable, "-c", "from gitsession.cli.main import entry; entry()")


@dataclass(frozen=True)
class Done:
    """What one command left: exit code and the bytes it printed."""

    code: int
    out: bytes
    err: bytes

    @property
    def said(self) -> bytes:
        return self.out + self.err


class Shell:
    """`shell("save", "-m", "x")` runs the program once. `home` may be another one's later."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.temporary = folder / "tmp"
        for each in (self.home, self.project, self.temporary):
            each.mkdir(parents=True, exist_ok=True)

    @property
    def store(self) -> Path:
        return self.home / ".local" / "share" / "gitsession" / "store.git"

    @property
    def variables(self) -> dict[str, str]:
        return {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "TZ": "UTC",
            "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip

    def starts(
        self,
        *argv: str,
        program: tuple[str, ...] = PROGRAM,
        stdin: int = subprocess.DEVNULL,
        **variables: str,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*program, *argv], cwd=self.project, env={**self.variables, **variables},
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def __call__(self, *argv: str, **variables: str) -> Done:
        process = self.starts(*argv, **variables)
        out, err = process.communicate(timeout=120)
        assert b"Traceback" not in out + err, (argv, err)
        return Done(process.returncode, out, err)

    def does(self, *argv: str) -> Done:
        """The same, and it must be done without an error."""
        done = self(*argv)
        assert done.code == 0, (argv, done)
        return done

    def path(self, session_id: str = CLAUDE_ID) -> Path:
        """Where Claude Code keeps that session of the project."""
        folder = re.sub(r"[^A-Za-z0-9]", "-", str(self.project))
        return self.home / ".claude" / "projects" / folder / f"{session_id}.jsonl"

    def writes(self, session: Claude) -> Path:
        path = self.path(session.session_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(session.data)
        return path

    def session(self, *prompts: str, session_id: str = CLAUDE_ID) -> Claude:
        session = Claude(session_id, cwd=str(self.project))
        for prompt in prompts:
            session.turn(prompt)
        return session

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.store), *arguments],
            env={**self.variables, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def history(self, session: Claude) -> list[str]:
        """The ids of a session's versions, oldest first, as git itself walks them."""
        if not self.store.is_dir():
            return []
        refs = self.git("for-each-ref", "--format=%(objectname) %(contents)", "refs/heads/")
        for tip in re.split(r"(?m)^(?=[0-9a-f]{40} )", refs):
            if session.session_id in tip:
                return self.git("rev-list", "--reverse", tip[:40]).split()
        return []

    def is_sound(self) -> None:
        """For git, and for ourselves."""
        self.git("fsck", "--strict", "--full")
        self.does("fsck")

    def raw(self, revision: str = "HEAD") -> bytes:
        target = self.temporary / "raw"
        self.does("checkout", revision, "--raw", str(target))
        try:
            return target.read_bytes()
        finally:
            target.unlink()

    def leftovers(self) -> list[str]:
        """What only a killed process can have left: temporary files, locks of refs, journals."""
        found = [path for path in self.store.rglob("*") if re.search(
            r"\.lock$|tmp_|\.tmp|\.keep$|/running/.|/pending\.json$", str(path))]  # fmt: skip
        for folder in (self.store.parent, self.home / ".config", self.home / ".cache"):
            found += [path for path in folder.rglob("*") if re.search(
                r"\.new$|\.tmp|store\.git\.", path.name)]  # fmt: skip
        return sorted({str(path) for path in (*found, *self.temporary.iterdir())})


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "person")


@contextmanager
def small_file_system(place: Path, size: str) -> Iterator[Path]:
    """One of that size in memory, mounted at `place`; where none can be the test is skipped."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)
