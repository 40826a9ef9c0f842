"""Shared defaults of adapters that read: files found by place, cut by entries, never written."""

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
"""Of files that a person got from a service: nothing is found on the machine by itself."""


class ReadingAgent:
    """See `agents.base.Agent`. A subclass brings `look` and `parse`, and `paths` if its sessions
    have a place. `whole` is true where the records are no lines."""

    name = ""
    title = ""
    capabilities = READ_ONLY
    constants: tuple[str, ...] = ()
    whole = False
    tools: dict[str, str] = {}  # noqa: RUF012 - a table that no instance changes
    """Native tool names as `work` knows them."""

    def home(self, environment: Environment) -> Path:
        """Nowhere, for what is only given by hand: a folder that nobody makes."""
        return environment.data_dir / "exports" / self.name

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        """Files that may hold sessions."""
        return ()

    def look(self, path: Path) -> Iterator[Source]:
        """The sessions in a file; may raise OSError."""
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
        """Every session in a file given by hand."""
        if not is_regular(path):
            return []
        try:
            return list(self.look(path))
        except OSError:
            return []

    def bytes_of(self, source: Source) -> bytes:
        """The whole of a source that is no lines; raises OSError."""
        return read_range(source.file, 0, source.size)

    def pieces(self, source: Source, offset: int) -> tuple[Iterable[bytes], int]:
        """The records from `offset` on, and where the first one begins."""
        return lines(source.file, offset, source.size), offset

    def is_whole(self, source: Source) -> bool:  # noqa: ARG002
        """Whether the records of this source are no lines."""
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
    """The records that end behind `offset`, and where the first one begins: before it, when a
    record was written again with more in it."""
    at, begin = 0, offset
    kept: list[bytes] = []
    for data in found:
        if at + len(data) > offset:
            begin = begin if kept else at
            kept.append(data)
        at += len(data)
    return kept, begin


class RowsAgent(ReadingAgent):
    """An adapter whose source has no bytes of its own: its records are made, one JSON line each,
    from rows of a database or of an export that holds several sessions."""

    whole = True

    def rows(self, source: Source) -> Iterable[bytes]:
        """All records; raises OSError."""
        raise NotImplementedError

    def pieces(self, source: Source, offset: int) -> tuple[Iterable[bytes], int]:
        return beyond(self.rows(source), offset)

    def bytes_at(self, source: Source, offset: int, length: int) -> bytes:
        """Native bytes are those of the lines."""
        return b"".join(self.rows(source))[offset : offset + length]

    def length_of(self, source: Source) -> int:
        return sum(map(len, self.rows(source)))


class WholeAgent(ReadingAgent):
    """An adapter whose source is one JSON document with the messages in the member `container`.

    `grows` says that the agent writes the file anew for each turn: then answers end turns and the
    tail belongs to the next one. An export is complete: its tail ends the last turn, and a longer
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
        """What a head, an item or a tail says (an item that is no object is the member "")."""
        raise NotImplementedError
