"""`REV:N`: a version that ends with message N: the turns up to there, the last one shortened."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitsession import snapshot
from gitsession.agents.base import Agent, Source
from gitsession.errors import NotFound, UsageError
from gitsession.model.history import Version
from gitsession.model.message import Message
from gitsession.model.record import Sidecar
from gitsession.model.session import Session, Turn
from gitsession.operations.saving import anew

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace

_BASE = f"{anew.BASE}/"
_STEPS = 400
"""How many records after a message's first are tried before using the next message's start."""


@dataclass(frozen=True, slots=True)
class Cut:
    """`version` is the newest one that ends at or before the message (None inside the first turn);
    `part` is the shortened turn after it, None if the version ends exactly there. `session` is the
    whole session up to the message. With `anew`, the part begins the main stream of a session that
    was written from the messages of that version."""

    version: Version | None
    part: Session | None
    session: Session
    anew: bool = False


def at_message(workspace: Workspace, agent: Agent, version: Version, number: int) -> Cut:
    """Return where message `number` (from 1) of a version ends. Raises NotFound or UsageError."""
    session = snapshot.decode(workspace.store.tree(version.tree))
    count = end_of_message(agent, session, number)
    if count == session.stream("main").count:
        return Cut(version, None, session)
    kept = _first_records(session, count)
    base = _version_before(workspace, version, session, count)
    if base is None:
        parent = _parent_of_native(workspace, version, session)
        return Cut(parent, _shortened(agent, kept, None), kept, anew=parent is not None)
    head = snapshot.decode_head(workspace.store.tree(base.tree)).session
    if head.stream("main").count == count:
        return Cut(base, None, kept)
    return Cut(base, _shortened(agent, kept, head), kept)


def end_of_message(agent: Agent, session: Session, number: int) -> int:
    """Return how many records of `main` hold message `number` and everything before it, including
    its tool results but not what was rewound or noted after it. Raises NotFound or UsageError."""
    messages = agent.messages(session)
    if not 1 <= number <= len(messages):
        raise NotFound(
            f"there is no message {number} in that version; it has {len(messages)}",
            hint="`gitsession show REV` lists them with their numbers",
        )
    wanted = messages[number - 1]
    if wanted.stream != "main" or wanted.record < 0:
        raise UsageError("that message is not part of the main conversation")
    total = session.stream("main").count
    end = messages[number].record if number < len(messages) else total
    if end <= wanted.record:
        end = total
    for count in range(wanted.record + 1, min(end, wanted.record + _STEPS)):
        if _holds(agent.messages(_first_records(session, count)), messages, number):
            return count
    return end


def _holds(found: tuple[Message, ...], messages: tuple[Message, ...], number: int) -> bool:
    """Whether a shorter session has exactly the first `number` messages, the last one complete."""
    if len(found) != number:
        return False
    return all(one.parts == other.parts for one, other in zip(found, messages, strict=False))


def _first_records(session: Session, count: int) -> Session:
    main = session.stream("main")
    kept = main._replace(records=main.records[:count], offset=0)
    others = tuple(
        stream
        for stream in session.streams
        if stream.name != "main" and not stream.name.startswith(_BASE)
    )
    return session._replace(streams=(kept, *others))


def _version_before(
    workspace: Workspace, version: Version, session: Session, count: int
) -> Version | None:
    """Return the newest finished version with a prefix of the first `count` records as `main`."""
    main = session.stream("main")
    for candidate in workspace.store.log((version.id,), limit=0):
        if candidate.trailers.get("Kind") == "open":
            continue
        head = snapshot.decode_head(workspace.store.tree(candidate.tree))
        ending = head.session.stream("main").count
        if ending <= count and _same_end(workspace, candidate, head, main.records[ending - 1].data):
            return candidate
    return None


def _parent_of_native(workspace: Workspace, version: Version, session: Session) -> Version | None:
    """Return the version from whose messages this native session was written, else None."""
    if not any(stream.name.startswith(_BASE) for stream in session.streams):
        return None
    own = version.trailers.get("Native", version.trailers.get("Session"))
    for candidate in workspace.store.log((version.id,), limit=0):
        if candidate.trailers.get("Native", candidate.trailers.get("Session")) != own:
            return candidate
    return None


def _same_end(workspace: Workspace, version: Version, head: snapshot.Head, wanted: bytes) -> bool:
    records = snapshot.records(workspace.store.tree(version.tree), head, "main")
    last = deque(records, maxlen=1)
    return bool(last) and last[0].data == wanted


def _shortened(agent: Agent, kept: Session, head: Session | None) -> Session:
    """Return the records after `head` as the adapter itself would read them from such a file."""
    with tempfile.TemporaryDirectory(prefix="gitsession-") as folder:
        source = _as_source(Path(folder), kept)
        since = _at_stored_offsets(kept, head) if head else None
        parts = [part for part in agent.read(source, since) if part.streams]
    if not parts:
        raise NotFound("that message cannot be cut off here", hint="name the one before it")
    part = _joined(parts) if head is None else parts[-1]
    turn = (part.turn or Turn())._replace(kind="open", finished=False)
    info = part.info._replace(
        identity=kept.info.identity,
        project=kept.info.project,
        code=head.info.code if head else "",
        changed_from="",
    )
    return part._replace(info=info, turn=turn, sidecars=tuple(_named_sidecars(kept, part)))


def _joined(parts: list[Session]) -> Session:
    """Join several turns into one, for a first version that holds more than one of them."""
    names = dict.fromkeys(stream.name for part in parts for stream in part.streams)
    streams = tuple(
        parts[-1]
        .stream(name)
        ._replace(
            records=tuple(record for part in parts for record in part.stream(name).records),
            first=0,
        )
        for name in names
    )
    files = {file.path: file for part in parts for file in part.files}
    return parts[-1]._replace(streams=streams, files=tuple(files.values()))


def _named_sidecars(kept: Session, part: Session) -> Iterator[Sidecar]:
    """Yield the stored sidecars that the records of the shortened turn mention."""
    records = [record.data for stream in part.streams for record in stream.records]
    for sidecar in kept.sidecars:
        name = sidecar.path.rpartition("/")[2].encode("utf-8", "surrogatepass")
        if any(name in data for data in records):
            yield sidecar


def _as_source(folder: Path, kept: Session) -> Source:
    """Write the shortened session to a temporary file; it contains only what is stored, so only
    what was redacted."""
    path = folder / f"{kept.info.native_id or 'session'}.jsonl"
    others: dict[str, Path] = {}
    for number, stream in enumerate(kept.streams):
        place = path if stream.name == "main" else folder / f"stream-{number}.jsonl"
        place.write_bytes(b"".join(record.data for record in stream.records))
        if place != path:
            others[stream.name] = place
    size = path.stat().st_size
    info = kept.info
    return Source(info.agent, info.native_id, path, size, 0, info.cwd, streams=others)


def _at_stored_offsets(kept: Session, head: Session) -> Session:
    """Return the head with the positions that its records have in the stored, redacted bytes."""
    streams = tuple(
        stream._replace(
            offset=sum(len(r.data) for r in kept.stream(stream.name).records[: stream.count]),
        )
        for stream in head.streams
    )
    return head._replace(streams=streams)


def write_cut(workspace: Workspace, agent: Agent, cut: Cut) -> str:
    """Return the commit of the cut, a new one only if no version ends there. No ref names it."""
    before = cut.version
    if cut.part is None:
        assert before is not None
        return before.id
    head = snapshot.decode_head(workspace.store.tree(before.tree)) if before else None
    if before and head and cut.anew:
        head = anew.head(workspace, before.id, head.number)
    redacted = workspace.redactor().redact(cut.part)
    encoded, _ = snapshot.encode(redacted, head, agent.constants)
    with workspace.store.writer(bulk=False) as writer:
        tree = before.tree if before else ""
        if before and cut.anew:
            tree = anew.tree(workspace, before.id, writer)
        commit, _ = writer.commit(encoded, tree, (before.id,) if before else ())
    return commit
