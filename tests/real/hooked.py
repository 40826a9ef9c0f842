"""What hooks leave behind: lines in their log, and versions that appear by themselves."""

from __future__ import annotations

import time
from typing import Any

from .conftest import User


def log_of(user: User) -> list[list[str]]:
    """The words of each line that the hooks left behind."""
    path = user.home / ".local" / "state" / "gitsession" / "hooks" / "log"
    text = path.read_text() if path.exists() else ""
    return [line.split() for line in text.splitlines()]


def versions(user: User, expected: int, branch: str = "main") -> list[dict[str, Any]]:
    """The versions of the project's session on a branch once there are that many."""
    store = user.home / ".local" / "share" / "gitsession" / "store.git" / "refs" / "heads"
    deadline = time.monotonic() + 60  # our line stands behind the agent in the queue
    while True:
        sessions = user.json("list")["sessions"] if store.exists() else []
        session = sessions[0]["session"] if sessions else ""
        found = user.json("log", f"{session}/{branch}")["versions"] if session else []
        if len(found) >= expected or time.monotonic() > deadline:
            assert len(found) == expected, (found, log_of(user))
            return list(found)
        time.sleep(0.1)
