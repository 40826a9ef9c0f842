"""Compare a source with the stored records, one by one, if no hint says that it only grew.

A placeholder stands for any text, so neither the key nor the rules of an earlier save matter.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from gitsession import snapshot
from gitsession.agents.base import settled, superseded
from gitsession.model.session import Session
from gitsession.operations.native_files import prefix_mac
from gitsession.operations.placeholders import stands_for
from gitsession.operations.saving.past import Past

if TYPE_CHECKING:
    from gitsession.agents.base import Agent, Source
    from gitsession.operations.saving.line import Line
    from gitsession.operations.workspace import Workspace


class Start(NamedTuple):
    """Where comparing begins: bytes of the source, records of the stored stream."""

    offset: int = 0
    records: int = 0


def compare(workspace: Workspace, agent: Agent, source: Source, line: Line) -> Past:
    """Return how the source relates to the newest finished version of its line, judged by the
    records."""
    assert line.head is not None
    start = _after_checkout(workspace, agent, source, line) or Start()
    stored = line.head.session
    expected = snapshot.records(workspace.store.tree(line.tree), line.head, "main")
    expected = itertools.islice(expected, start.records, None)
    since = at_offset(stored, start.offset, start.records) if start.offset else None
    parts = agent.read(source, since)
    position, messages = start.offset, 0
    for part in parts:
        for record in part.stream("main").records:
            wanted = next(expected, None)
            while wanted is not None and superseded(agent, wanted.data, record.data):
                wanted = next(expected, None)
            if wanted is None:
                return Past("same", at_offset(stored, position))
            if not stands_for(settled(agent, wanted.data), settled(agent, record.data)):
                return _changed(stored, itertools.chain((part,), parts), messages)
            position += len(record.data)
        messages += part.turn.messages if part.turn else 0
    if next(expected, None) is None:
        return Past("same", at_offset(stored, position))
    return Past("shrunk" if position else "stub")


def _after_checkout(workspace: Workspace, agent: Agent, source: Source, line: Line) -> Start | None:
    """Return the place right after what checkout wrote, if all of that is still there unchanged.

    What checkout changed when writing (new id, repairs, title) is neither a rewrite nor shrinking:
    the stored records up to there are the past, whatever the native file says instead.
    """
    written = line.native.get("written") or {}
    length, records = written.get("bytes", -1), written.get("records", -1)
    if records < 0:
        return None
    fits = 0 <= length <= source.size
    if fits and prefix_mac(source.file, length, workspace.key) == written.get("mac"):
        return Start(length, records)
    if not written.get("says") or line.native.get("anew"):
        return None  # what was composed is stored as the agent holds it
    from gitsession.operations import essence

    length = essence.length(agent, source, written["says"], workspace.key)
    return Start(length, records) if length >= 0 else None


def at_offset(session: Session, offset: int, count: int | None = None) -> Session:
    """Return the head with its main stream's position moved: to a byte offset of another native
    file, and to a smaller number of records if `count` is given."""
    streams = tuple(
        stream._replace(offset=offset, first=stream.count if count is None else count)
        if stream.name == "main"
        else stream
        for stream in session.streams
    )
    return session._replace(streams=streams)


def _changed(stored: Session, rest: Iterable[Session], before: int) -> Past:
    """Judge a source that differs, by what follows from the first different turn on; `before` is
    the number of messages up to there.

    A compaction in it is a new version even if the file got shorter; otherwise, fewer records than
    stored, or nothing but metadata, mean a damaged source and no version.
    """
    compaction, messages, records = False, 0, 0
    for part in rest:
        turn = part.turn
        compaction = compaction or (turn is not None and turn.kind == "compaction")
        messages += turn.messages if turn else 0
        records = part.stream("main").count
    if compaction:
        return Past("changed", compaction=True)
    is_shorter = records < stored.stream("main").count
    if not messages:
        return Past("shrunk" if before and is_shorter else "stub")
    return Past("shrunk" if is_shorter else "changed")
