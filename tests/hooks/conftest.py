"""A person with a project, hooks as agents call them, and a gitsession program to be called."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitsession.agents import hooks
from gitsession.environment import Environment
from tests.acceptance.conftest import Person, person
from tests.builders import CLAUDE_ID

__all__ = ["person"]

ROOT = Path(__file__).resolve().parents[2]
_LAUNCHER = f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(ROOT)!r})
from gitsession.cli.main import entry
entry()
"""


class Hook:
    """What the settings of an agent hold, run as the agent runs it: by a shell, with JSON."""

    def __init__(self, person: Person, program: Path) -> None:
        self.person = person
        self.program = program
        self.seconds = 0.0

    @property
    def environment(self) -> Environment:
        return self.person.environment

    def __call__(
        self, said: bytes | Mapping[str, object] | None = None, agent: str = "claude-code",
        event: str = "Stop",
    ) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
        """Call the line; the agent's word is the one about the person's session by default."""
        if not isinstance(said, bytes):
            said = json.dumps(self.word(event) if said is None else said).encode()
        line = hooks.command(str(self.program), agent)
        begun = time.monotonic()
        done = subprocess.run(
            ["sh", "-c", line],
            input=said,
            env=self.environment.variables, cwd=self.person.project, capture_output=True,
            check=False, timeout=30,
        )  # fmt: skip
        self.seconds = time.monotonic() - begun
        return done

    def word(self, event: str = "Stop") -> dict[str, object]:
        return {
            "session_id": CLAUDE_ID,
            "transcript_path": str(self.person.path()),
            "cwd": str(self.person.project),
            "hook_event_name": event,
            "last_assistant_message": "x" * 200_000,
        }

    def log(self) -> list[str]:
        path = self.environment.state_dir / "hooks" / "log"
        return path.read_text().splitlines() if path.exists() else []

    def wait(self, lines: int, seconds: float = 15.0) -> str:
        """The last line of the log once it has that many."""
        deadline = time.monotonic() + seconds
        while len(self.log()) < lines:
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.02)
        assert len(self.log()) == lines, self.log()
        return self.log()[-1]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start that is answered in this process may take as long as the machine does."""
    monkeypatch.setattr("gitsession.cli.start_hook.SECONDS", 60.0)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An installed gitsession: an executable file that runs this source."""
    path = tmp_path / "bin" / "gitsession"
    path.parent.mkdir()
    path.write_text(_LAUNCHER)
    path.chmod(0o755)
    return path


@pytest.fixture
def hook(person: Person, program: Path) -> Hook:
    return Hook(person, program)
