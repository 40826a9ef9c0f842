"""A user with a project, a live Claude Code session that can grow, and a store."""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.claude_code import find as claude_find
from gitsession.environment import Environment
from gitsession.repository import Repository, open_repository


@dataclass
class LiveSession:
    """A native session as Claude Code writes one: rows chained by uuid, a turn at a time."""

    path: Path
    native_id: str
    cwd: str
    last: str | None = None
    minute: int = 0
    number: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)

    def turn(self, prompt: str, answer: str = "Done.", tool: str = "") -> LiveSession:
        """A prompt, perhaps one tool call with its result, and the final answer."""
        self.prompt(prompt)
        if tool:
            call = f"toolu_{self.number:04d}"
            part = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "ls"}}
            self.assistant([part], "tool_use")
            result = {"type": "tool_result", "tool_use_id": call, "content": tool}
            self.row("user", {"role": "user", "content": [result]}, toolUseResult={"stdout": tool})
        self.assistant([{"type": "text", "text": answer}], "end_turn")
        return self

    def prompt(self, text: str) -> LiveSession:
        self.number += 1
        return self.row("user", {"role": "user", "content": text})

    def assistant(self, content: list[dict[str, Any]], stop: str) -> LiveSession:
        message = {
            "role": "assistant", "id": f"msg_{self.minute:06d}", "type": "message",
            "model": "claude-test-1", "content": content, "stop_reason": stop,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }  # fmt: skip
        return self.row("assistant", message)

    def row(self, kind: str, message: dict[str, Any], **more: Any) -> LiveSession:
        self.minute += 1
        own = str(uuid.uuid5(uuid.UUID(self.native_id), f"{self.path}{self.minute}"))
        row = {
            "parentUuid": self.last, "isSidechain": False, "userType": "external",
            "cwd": self.cwd, "sessionId": self.native_id, "version": "2.1.0", "type": kind,
            "message": message, "uuid": own,
            "timestamp": f"2026-01-01T{self.minute // 60:02d}:{self.minute % 60:02d}:00.000Z",
            **more,
        }  # fmt: skip
        self.last = own
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row, separators=(",", ":")) + "\n")
        return self


@pytest.fixture
def live(environment: Environment) -> LiveSession:
    """An empty session of this project, in its agent's own place."""
    return make_live(environment)


@pytest.fixture
def another(environment: Environment) -> Callable[[], LiveSession]:
    return lambda: make_live(environment)


_COUNT = iter(range(1, 1_000_000))


def make_live(environment: Environment) -> LiveSession:
    native_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"session {next(_COUNT)}"))
    folder = claude_find.home(environment) / "projects" / claude_find.folder_name(environment.cwd)
    folder.mkdir(parents=True, exist_ok=True)
    return LiveSession(folder / f"{native_id}.jsonl", native_id, environment.cwd)


def goes_on(path: str, native_id: str, cwd: str) -> LiveSession:
    """The agent continuing a session file that stands there."""
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    last = next(row["uuid"] for row in reversed(rows) if "uuid" in row)
    return LiveSession(Path(path), native_id, cwd, last, minute=600 + len(rows))


@pytest.fixture
def repository(environment: Environment) -> Iterator[Repository]:
    with open_repository(environment) as opened:
        yield opened
        assert_clean(opened)


def assert_clean(repository: Repository) -> None:
    """What every test ends with: git finds nothing wrong with the store."""
    done = subprocess.run(
        ["git", "-C", str(repository.store_path), "fsck", "--full", "--strict", "--no-dangling"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stdout + done.stderr, done.stdout + done.stderr
