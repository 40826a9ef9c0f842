"""Shared defaults for adapters that only read: files found by location, cut by entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gitsession.agents import entries, whole_json
from gitsession.agents.base import Capabilities, Source, Target, Written, no_session, unreadable
from gitsession.agents.entries import Draft, EntryFold, Seen
from gitsession.agents.lenient import mapping_of
from gitsession.agents.turns import cut
from gitsession.agents.work import Call, Result
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.files import is_regular, lines, read_range
from gitsession.model.message import Message, Part
from gitsession.model.record import Stream
from gitsession.model.session import Session

Values = dict[str, Any]
READ_ONLY = Capabilities(restore=False, resume=False)
EXPORT = Capabilities(incremental=False, restore=False, resume=False)
"""For files that a person got from a service: they are not found on the machine automatically."""


class ReadingAgent:
    """See `agents.base.Agent`. A subclass supplies `look` and `parse`, and `paths` if its sessions
    have a fixed location. `whole` is true if the records are not lines."""

    name = ""
    title = ""
    capabilities = READ_ONLY
    constants: tuple[str, ...] = ()
    whole = False
    tools: dict[str, str] = {}  # noqa: RUF012 - a table that no instance changes
    """Native tool name → the name that `work` uses."""

    def home(self, environment: Environment) -> Path:
        """Return a folder that nobody creates: sessions given only by hand have no home."""
        return environment.data_dir / "exports" / self.name

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        """Return files that may contain sessions."""
        return ()

    def look(self, path: Path) -> Iterator[Source]:
        """Yield the sessions in a file; may raise OSError."""
        raise NotImplementedError

    def parse(self, data: bytes) -> Seen:
        raise NotImplementedError

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        found = [
            source
            for path in self.paths(environment, cwd)
            for source in self.recognise_all(path)
            if source.native_id.startswith(native_id) and (not cwd or source.cwd == cwd)
        ]
        yield from sorted(found, key=lambda source: (-source.mtime, source.native_id))

    def recognise(self, path: Path) -> Source | None:
        return next(iter(self.recognise_all(path)), None)

    def recognise_all(self, path: Path) -> list[Source]:
        """Return every session in a file given by hand."""
        if not is_regular(path):
            return []
        try:
            return list(self.look(path))
        except OSError:
            return []

    def bytes_of(self, source: Source) -> bytes:
        """Return all bytes of a source whose records are not lines; raises OSError."""
        return read_range(source.file, 0, source.size)

    def pieces(self, source: Source, offset: int) -> tuple[Iterable[bytes], int]:
        """Return the records from `offset` on, and where the first one begins."""
        return lines(source.file, offset, source.size), offset

    def is_whole(self, source: Source) -> bool:  # noqa: ARG002
        """Whether the records of this source are not lines."""
        return self.whole

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        start = since.stream() if since else Stream("main")
        if not is_regular(source.file):
            raise unreadable()
        fold = EntryFold(source, since, self)
        try:
            records, begin = self.pieces(source, start.offset)
            position = Stream("main", (), start.count, begin)
            yield from cut(records, position, fold, whole=self.is_whole(source))
        except OSError as error:
            raise unreadable() from error
        if not fold.known:
            raise no_session(self.title)

    def tool(self, part: Part) -> Call:
        return Call(self.tools.get(part.name, part.name), mapping_of(part.input))

    def result(self, part: Part) -> Result:
        return Result(part.text, part.error)

    def path(self, drafts: list[Draft], facts: Mapping[str, object]) -> list[Draft]:  # noqa: ARG002
        return drafts

    def messages(self, session: Session) -> tuple[Message, ...]:
        return entries.messages(session, self)

    def write(self, session: Session, target: Target, environment: Environment) -> Written:  # noqa: ARG002
        raise SourceUnreadable(
            f"sessions of {self.title} can be read but not written",
            hint="choose another agent for the checkout, or export the version",
        )

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()


def beyond(found: Iterable[bytes], offset: int) -> tuple[list[bytes], int]:
    """Return the records that end after `offset`, and where the first one begins.

    It begins before `offset` if a record was rewritten with more content.
    """
    at, begin = 0, offset
    kept: list[bytes] = []
    for data in found:
        if at + len(data) > offset:
            begin = begin if kept else at
            kept.append(data)
        at += len(data)
    return kept, begin


class RowsAgent(ReadingAgent):
    """An adapter whose source has no bytes of its own.

    Its records are generated, one JSON line each, from the rows of a database or of an export that
    holds several sessions.
    """

    whole = True

    def rows(self, source: Source) -> Iterable[bytes]:
        """Return all records; raises OSError."""
        raise NotImplementedError

    def pieces(self, source: Source, offset: int) -> tuple[Iterable[bytes], int]:
        return beyond(self.rows(source), offset)

    def bytes_at(self, source: Source, offset: int, length: int) -> bytes:
        """Return native bytes: those of the generated lines."""
        return b"".join(self.rows(source))[offset : offset + length]

    def length_of(self, source: Source) -> int:
        return sum(map(len, self.rows(source)))


class WholeAgent(ReadingAgent):
    """An adapter whose source is one JSON document with the messages in the member `container`.

    `grows` says that the agent rewrites the file for each turn: then answers end turns, and the
    tail belongs to the next turn. An export is complete: its tail ends the last turn, and a longer
    export of the same session is a rewrite.
    """

    whole = True
    container = "messages"
    opens = "["
    grows = False

    def pieces(self, source: Source, offset: int) -> tuple[Iterable[bytes], int]:
        return beyond(whole_json.records(self.bytes_of(source), self.container), offset)

    def written_anew(self, source: Source) -> bool:  # noqa: ARG002
        """See `base.written_anew`."""
        return True

    def superseded(self, stored: bytes, native: bytes) -> bool:
        """See `base.superseded`."""
        return self.grows and whole_json.tail_replaced(stored, native, self.opens)

    def parse(self, data: bytes) -> Seen:
        piece = whole_json.piece_of(data, self.opens)
        if not isinstance(piece.value, dict):
            return self.understand(piece.kind, {"": piece.value}, piece.damaged)
        return self.understand(piece.kind, piece.value, piece.damaged)

    def understand(self, kind: str, value: Values, damaged: bool) -> Seen:
        """Return what a head, item or tail says (an item that is no object is the member "")."""
        raise NotImplementedError
