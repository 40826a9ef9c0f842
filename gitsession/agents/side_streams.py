"""The streams next to a session's main one: its subagents' records, in files of their own."""

from __future__ import annotations

import os
from collections import namedtuple

from gitsession.agents.lenient import parse_line
from gitsession.agents.times import utc_time
from gitsession.files import is_regular, lines, read_range
from gitsession.giants import short
from gitsession.model.record import Record, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike
    from typing import Any, NamedTuple

    from gitsession.agents.base import Source
    from gitsession.agents.lenient import Parsed
    from gitsession.model.session import Session

    Row = dict[str, Any]

_LARGEST = 32 << 20
ALWAYS = "~"
"""A time later than any other: every record may be taken."""

if TYPE_CHECKING:

    class SideLine(NamedTuple):
        data: bytes
        parsed: Parsed
else:
    SideLine = namedtuple("SideLine", "data parsed")
    SideLine.__doc__ = "A subagent's record that was added to a turn."


def stamped(row: Row) -> str:
    """Return when a record was written, from the member that most agents use."""
    return utc_time(row.get("timestamp"))


class SideStream:
    """One subagent's file, handed out in file order up to a given time."""

    def __init__(
        self, name: str, path: str, since: Stream, time_of: Callable[[Row], str] = stamped
    ) -> None:
        self.name, self._path, self._time_of = name, path, time_of
        self.count, self.offset = since.count, since.offset
        self.started = since.count > 0
        self._lines = self._open()
        self._next: SideLine | None = None
        self._time = ""

    def _open(self) -> Iterator[SideLine]:
        try:
            size = os.path.getsize(self._path) if is_regular(self._path) else 0
            for data in lines(self._path, self.offset, size):
                yield SideLine(data, parse_line(short(data)))
        except OSError:
            return

    def pull(self, until: str) -> list[SideLine]:
        """Return the next records not later than `until`; one without a time follows the last
        one."""
        taken: list[SideLine] = []
        while True:
            line = self._next or next(self._lines, None)
            self._next = None
            if line is None:
                return taken
            time = max(map(self._time_of, line.parsed.objects), default="") or self._time
            whole = line.data.endswith(b"\n") or until == ALWAYS
            if time > until or not whole:
                self._next = line
                return taken
            self._time = time
            taken.append(line)

    def give(self, until: str) -> tuple[Stream, list[SideLine]]:
        taken = self.pull(until)
        first = self.count
        self.count += len(taken)
        self.offset += sum(len(line.data) for line in taken)
        records = tuple(Record(line.data) for line in taken)
        return Stream(self.name, records, first, self.offset), taken

    @property
    def waiting(self) -> bool:
        if self._next is None:
            self._next = next(self._lines, None)
        return self._next is not None


def side_streams(
    source: Source, since: Iterable[Stream], time_of: Callable[[Row], str] = stamped
) -> list[SideStream]:
    known = {stream.name: stream for stream in since}
    return [
        SideStream(name, path, known.get(name, Stream(name)), time_of)
        for name, path in sorted(source.side_files.items())
    ]


class Sides:
    """All side streams, for a fold that only needs to see each record once."""

    def __init__(
        self, source: Source, since: Session | None, see: Callable[[SideLine], None],
        time_of: Callable[[Row], str] = stamped,
    ) -> None:  # fmt: skip
        self._sides = side_streams(source, since.streams if since else (), time_of)
        self._see = see

    def give(self, until: str) -> tuple[Stream, ...]:
        """Return the records that belong to the turn that ends at that time."""
        streams = []
        for side in self._sides:
            stream, taken = side.give(until)
            for line in taken:
                self._see(line)
            streams.append(stream)
        return tuple(streams)

    @property
    def waiting(self) -> bool:
        """Whether any records remain that were written after the newest main record."""
        return any(side.waiting for side in self._sides)


def contents(path: str | PathLike[str]) -> bytes | None:
    """Return the bytes of a regular file, else None; links and giant files are no sidecars."""
    try:
        if os.path.islink(path) or not is_regular(path) or os.path.getsize(path) > _LARGEST:
            return None
        return read_range(path, 0, _LARGEST)
    except OSError:
        return None
