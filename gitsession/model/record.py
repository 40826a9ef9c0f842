"""What an agent wrote, byte for byte: records in streams, sidecar files, project files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One native unit with its line end: a JSONL line, or a torn tail without one.

    The records of a stream, joined, are the native file.
    """

    data: bytes


@dataclass(frozen=True, slots=True)
class Stream:
    """A named, ordered run of records: `main`, `subagents/<id>`, `base` …

    `first` is the index of `records[0]` in the whole stream (0 for a whole session; where a
    continuation starts otherwise). `offset` is the position in the native source, in bytes,
    right after the last record: what the next save continues from. A stream without records is a
    pure position.
    """

    name: str
    records: tuple[Record, ...] = ()
    first: int = 0
    offset: int = 0

    @property
    def count(self) -> int:
        """How many records the whole stream has up to and including `records`."""
        return self.first + len(self.records)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Another file of the agent that a resume needs. `path` is relative, with `/`, and is the
    adapter's own name for it (`tool-results/x.txt`), never an absolute path."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class File:
    """A project file that the session read in full, edited or attached, after that turn.

    `path` is relative to the session's project with `/`, or absolute when outside of it.
    `content` is None when the file is gone (deleted by the session) or withheld; then `reason`
    says why: `deleted`, `secret`, `ignored`, `too large`, `not reconstructable`, `special`.
    `size` is in bytes.
    """

    path: str
    content: bytes | None
    reason: str = ""
    size: int = 0
