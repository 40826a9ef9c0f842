"""`REV:N`: a version that ends with message N: the turns up to there and a shortened one."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gitsession import snapshot
from gitsession.agents.base import Agent, Source
from gitsession.errors import NotFound, UsageError
from gitsession.model.history import Version
from gitsession.model.message import Message
from gitsession.model.session import Session, Turn

if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace

_STEPS = 400
"""So many records are tried after a message's first one; then the next message's start is taken."""


@dataclass(frozen=True, slots=True)
class Cut:
    """`version` is the newest one that ends at or before the message; `part` the shortened turn
    after it, None if the version ends exactly there. `session` is the whole up to the message."""

    version: Version
    part: Session | None
    session: Session


def at_message(workspace: Workspace, agent: Agent, version: Version, number: int) -> Cut:
    """Where message `number` (from 1) of a version ends. Raises NotFound or UsageError."""
    session = snapshot.decode(workspace.store.tree(version.tree))
    count = end_of_message(agent, session, number)
    if count == session.stream("main").count:
        return Cut(version, None, session)
    kept = _first_records(session, count)
    base = _version_before(workspace, version, session, count)
    if base is None:
        raise UsageError(
            "no earlier version ends before that message",
            hint="name a message of a later turn",
        )
    head = snapshot.decode_head(workspace.store.tree(base.tree)).session
    if head.stream("main").count == count:
        return Cut(base, None, kept)
    return Cut(base, _shortened(agent, kept, head), kept)


def end_of_message(agent: Agent, session: Session, number: int) -> int:
    """How many records of `main` hold message `number` and everything before it, its tool results
    included; what was rewound or noted after it is not."""
    messages = agent.messages(session)
    if not 1 <= number <= len(messages):
        raise NotFound(
            f"there is no message {number} in that version; it has {len(messages)}",
            hint="gitsession show REV lists them with their numbers",
        )
    wanted = messages[number - 1]
    if wanted.stream != "main" or wanted.record < 0:
        raise UsageError("that message does not stand in the main conversation")
    total = session.stream("main").count
    end = messages[number].record if number < len(messages) else total
    if end <= wanted.record:
        end = total
    for count in range(wanted.record + 1, min(end, wanted.record + _STEPS)):
        if _holds(agent.messages(_first_records(session, count)), messages, number):
            return count
    return end


def _holds(found: tuple[Message, ...], messages: tuple[Message, ...], number: int) -> bool:
    """Whether a shorter session has exactly the first `number` messages, the last one whole."""
    if len(found) != number:
        return False
    return all(one.parts == other.parts for one, other in zip(found, messages, strict=False))


def _first_records(session: Session, count: int) -> Session:
    main = session.stream("main")
    kept = replace(main, records=main.records[:count], offset=0)
    others = tuple(stream for stream in session.streams if stream.name != "main")
    return replace(session, streams=(kept, *others))


def _version_before(
    workspace: Workspace, version: Version, session: Session, count: int
) -> Version | None:
    """The newest finished version whose main stream is a beginning of the first `count` records."""
    main = session.stream("main")
    for candidate in workspace.store.log((version.id,), limit=0):
        if candidate.trailers.get("Kind") == "open":
            continue
        head = snapshot.decode_head(workspace.store.tree(candidate.tree))
        ending = head.session.stream("main").count
        if ending <= count and _same_end(workspace, candidate, head, main.records[ending - 1].data):
            return candidate
    return None


def _same_end(workspace: Workspace, version: Version, head: snapshot.Head, wanted: bytes) -> bool:
    records = snapshot.records(workspace.store.tree(version.tree), head, "main")
    last = deque(records, maxlen=1)
    return bool(last) and last[0].data == wanted


def _shortened(agent: Agent, kept: Session, head: Session) -> Session:
    """The records after `head` as the adapter itself would read them from such a file."""
    with tempfile.TemporaryDirectory(prefix="gitsession-") as folder:
        source, since = _as_source(Path(folder), kept, head)
        parts = [part for part in agent.read(source, since) if part.streams]
    if not parts:
        raise NotFound("that message cannot be cut off here", hint="name the one before it")
    part = parts[-1]
    turn = replace(part.turn or Turn(), kind="open", finished=False)
    return replace(part, info=replace(part.info, identity=head.info.identity), turn=turn)


def _as_source(folder: Path, kept: Session, head: Session) -> tuple[Source, Session]:
    """The shortened session as a file that lasts as long as the reading; only what is stored, so
    only what was redacted, stands in it."""
    path = folder / f"{kept.info.native_id or 'session'}.jsonl"
    data = b"".join(record.data for record in kept.stream("main").records)
    path.write_bytes(data)
    source = Source(kept.info.agent, kept.info.native_id, path, len(data), 0, kept.info.cwd)
    offset = sum(len(r.data) for r in kept.stream("main").records[: head.stream("main").count])
    streams = tuple(
        replace(stream, offset=offset) if stream.name == "main" else stream
        for stream in head.streams
    )
    return source, replace(head, streams=streams)


def write_cut(workspace: Workspace, agent: Agent, cut: Cut) -> tuple[str, str]:
    """(commit, tree) of the cut; a new one only where no version ends there."""
    if cut.part is None:
        return cut.version.id, cut.version.tree
    base: Mapping[str, bytes] = workspace.store.tree(cut.version.tree)
    redacted = workspace.redactor().redact(cut.part)
    encoded, _ = snapshot.encode(redacted, snapshot.decode_head(base), agent.constants)
    with workspace.store.writer(bulk=False) as writer:
        commit, tree = writer.commit(encoded, cut.version.tree, (cut.version.id,))
    return commit, tree
