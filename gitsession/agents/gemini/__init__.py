"""The adapter for Gemini CLI: an event log per session, or one JSON object in older versions."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.agents.base import Capabilities, Source, no_session, unreadable
from gitsession.agents.family import FamilyAgent
from gitsession.agents.gemini import find as gemini_find
from gitsession.agents.gemini.fold import Ahead, GeminiFold
from gitsession.agents.gemini.form import (
    is_lines,
    may_be_gemini,
    object_records,
    settled,
    superseded,
    without_change_time,
)
from gitsession.agents.turns import cut, with_rest
from gitsession.environment import Environment
from gitsession.files import is_regular, lines, read_range
from gitsession.model.record import Stream
from gitsession.model.session import Session

_HEAD = 1 << 16


class Gemini(FamilyAgent):
    """See `agents.base.Agent`."""

    name = gemini_find.NAME
    title = "Gemini CLI"
    capabilities = Capabilities(subagents=True, hooks=True, compose=True)
    constants: tuple[str, ...] = ()

    def newest(self, environment: Environment, cwd: str, after: int) -> Source | None:
        return gemini_find.newest(environment, cwd, after)

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        start = since.stream() if since else Stream("main")
        if not is_regular(source.path):
            raise unreadable()
        try:
            if _is_object(source):
                fold = GeminiFold(source, since, None)
                records, begin = _beyond(source, start.offset)
                start = Stream("main", (), start.count, begin)
                turns = cut(records, start, fold, whole=True)
            else:
                ahead = Ahead(lines(source.path, start.offset, source.size))
                fold = GeminiFold(source, since, ahead)
                turns = cut(ahead, start, fold)
            yield from with_rest(turns, start, fold.rest)
        except OSError as error:
            raise unreadable() from error
        if not fold.known:
            raise no_session(self.title)

    def bytes_at(self, source: Source, offset: int, length: int) -> bytes:
        """Return native bytes; for a single object, without the time that each write replaces."""
        data = read_range(source.path, offset, length)
        return without_change_time(data) if _is_object(source) else data

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`."""
        return settled(data)

    def superseded(self, stored: bytes, native: bytes) -> bool:
        """See `base.superseded`."""
        return superseded(stored, native)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("gemini", "--resume", native_id)


def _is_object(source: Source) -> bool:
    head = read_range(source.path, 0, min(_HEAD, source.size))
    first = head.lstrip().split(b"\n", 1)[0]
    return may_be_gemini(head) and not is_lines(first) and head.lstrip()[:1] == b"{"


def _beyond(source: Source, offset: int) -> tuple[list[bytes], int]:
    """Return the records of a single object that end after `offset`, and the first one's start.

    It begins before `offset` if the last message was rewritten with more content.
    """
    at = 0
    found: list[bytes] = []
    begin = offset
    for data in object_records(read_range(source.path, 0, source.size)):
        if at + len(data) > offset:
            begin = begin if found else at
            found.append(data)
        at += len(data)
    return found, begin


AGENT = Gemini()
