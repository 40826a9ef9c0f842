"""Claw Code's transcript store and history log, done right, for programs that keep their own
conversation: `flush` really writes, omissions are reported, and no event breaks a list."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from gitsession.errors import SourceUnreadable
from gitsession.files import make_private, replace

KEEP = 10
TURNS = 8
COMPACT_AFTER = 12


class Transcript:
    """Texts in order, kept in memory until `flush` writes them to `path` (mode 0600)."""

    def __init__(self, path: Path) -> None:
        """Load what an earlier process flushed to `path`. Raises SourceUnreadable."""
        self._path = path
        self._entries: list[str] = _read(path)
        self.flushed = True

    def append(self, entry: str) -> None:
        self._entries.append(entry)
        self.flushed = False

    def compact(self, keep_last: int = KEEP) -> tuple[int, ...]:
        """Keep the newest entries; return the places (from 1) of the removed ones."""
        gone = max(len(self._entries) - max(keep_last, 0), 0)
        if gone:
            del self._entries[:gone]
            self.flushed = False
        return tuple(range(1, gone + 1))

    def replay(self) -> tuple[str, ...]:
        return tuple(self._entries)

    def flush(self) -> None:
        """Write everything, atomically."""
        make_private(self._path.parent)
        replace(self._path, json.dumps(self._entries).encode())
        self.flushed = True


def _read(path: Path) -> list[str]:
    try:
        entries = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        raise SourceUnreadable("the transcript cannot be read", hint=f"look at {path}") from error
    if not isinstance(entries, list) or not all(isinstance(one, str) for one in entries):
        raise SourceUnreadable("the transcript is not a list of texts", hint=f"look at {path}")
    return entries


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a history log."""

    title: str
    detail: str = ""


class HistoryLog:
    """Events in order, available as a Markdown list."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def add(self, title: str, detail: str = "") -> None:
        self._events.append(Event(title, detail))

    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)

    def as_markdown(self) -> str:
        """Return a heading, a blank line and one item per event; line breaks in a detail are
        indented, so that it remains one item."""
        lines = ["# Session History", ""]
        for event in self._events:
            title = " ".join(event.title.split())
            detail = "\n  ".join(line.strip() for line in event.detail.strip().splitlines())
            lines.append(f"- {title}: {detail}" if detail else f"- {title}")
        return "\n".join(lines) + "\n"
