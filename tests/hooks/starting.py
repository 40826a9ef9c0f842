"""Starts of sessions as agents tell of them, and what gitsession answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.acceptance.conftest import Person, a_session
from tests.builders import CLAUDE_ID, a_uuid

OTHER_ID = a_uuid("another session")
NEW_ID = a_uuid("a session that nobody knows")


def word(person: Person, source: str, session_id: str = CLAUDE_ID, folder: str = "") -> str:
    """What Claude Code says at a session's start."""
    return json.dumps(
        {
            "session_id": session_id,
            "transcript_path": str(person.path(session_id)),
            "cwd": folder or str(person.project),
            "hook_event_name": "SessionStart",
            "source": source,
        }
    )


def text_in(answer: str) -> str:
    """The text for the model in an answer, "" where nothing was said."""
    if not answer:
        return ""
    value = json.loads(answer)
    assert answer.count("\n") == 1 and answer.endswith("\n")
    (said,) = value.values()
    assert list(value) == ["hookSpecificOutput"] and said["hookEventName"] == "SessionStart"
    return str(said["additionalContext"])


def start(person: Person, source: str, session_id: str = CLAUDE_ID, folder: str = "") -> str:
    """The text that the model gets when a session starts."""
    told = word(person, source, session_id, folder)
    done = person.types("snapshot", "--hook", "claude-code", stdin=told)
    assert (done.code, done.err) == (0, "")
    return text_in(done.out)


def says(person: Person, session_id: str, *prompts: str) -> None:
    """A session with these prompts, in the agent's folder and saved."""
    person.writes(a_session(person, *prompts, session_id=session_id), session_id)
    person.repository.save([session_id])


def log(person: Person) -> list[list[str]]:
    """The words of each line that the hooks left."""
    path = person.environment.state_dir / "hooks" / "log"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


_PATIENT = """
from gitsession.cli import start_hook
from gitsession.cli.main import entry
from gitsession.operations.hooking import claims
start_hook.SECONDS = claims.PATIENCE = 60.0
entry()
"""


def waiting(person: Person) -> subprocess.Popen[bytes]:
    """A process that has begun and waits for the agent's word; however loaded the machine is, it
    takes its time."""
    return subprocess.Popen(
        [sys.executable, "-c", _PATIENT, "snapshot", "--hook", "claude-code"],
        cwd=person.project, env={**person.process_variables}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def git(folder: Path, *arguments: str) -> None:
    """A command of the user's own git in a project."""
    names = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)
