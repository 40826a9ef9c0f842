"""fsck --session: whether the conversation of one version is intact. It finds defects of an agent's
own tree, broken records, duplicate ids and calls without results; the repair writes a new version
that fixes some of them."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession import snapshot
from gitsession.agents import lobechat, registry
from gitsession.agents.lobechat import doctor as lobechat_doctor
from gitsession.errors import Conflict, NotFound, UsageError
from gitsession.model.history import HEADS
from gitsession.model.report import Problem
from gitsession.model.session import Turn
from gitsession.operations.care import check_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.operations.care.check_records import Found
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

_DOCTORS = {lobechat.NAME: lobechat_doctor}
"""Agents whose message tree is known to break, and the module that can diagnose it."""


def check(workspace: Workspace, found: Resolved) -> list[Problem]:
    """Return what is wrong with the conversation of a version. Reads only. Raises FormatError."""
    session = snapshot.decode(workspace.store.tree(found.commit))
    told = (*_of_agent(session), *check_records.of_records(session), *_of_messages(session))
    return check_records.with_last_good(workspace, found.commit, told)


def _of_agent(session: Session) -> Iterator[Found]:
    doctor = _DOCTORS.get(session.info.agent)
    for issue in doctor.diagnose(_records(session)) if doctor else ():
        many = f" ({len(issue.messages)} messages)" if len(issue.messages) > 1 else ""
        yield Problem(issue.kind, issue.message, issue.said + many), -1


def _records(session: Session) -> list[bytes]:
    return [record.data for record in session.stream().records]


def _of_messages(session: Session) -> Iterator[Found]:
    """Yield duplicate ids, calls without a result, and results without a call."""
    try:
        messages = registry.get(session.info.agent).messages(session)
    except NotFound:
        return
    yield from _doubled(messages)
    calls: dict[str, int] = {}
    results: dict[str, int] = {}
    for number, message in enumerate(messages, 1):
        for part in message.parts:
            if part.kind == "tool_call" and part.call_id:
                calls[part.call_id] = number
            elif part.kind == "tool_result" and part.call_id:
                results[part.call_id] = number
    working = session.turn is not None and not session.turn.finished
    for call, number in calls.items():
        if call not in results and not (working and number == len(messages)):
            said = f"call {call} has no result"
            yield _at(messages, number, "unpaired-call", said)
    for call, number in results.items():
        if call not in calls:
            yield _at(messages, number, "unpaired-call", f"a result of {call}, never called")


def _at(messages: tuple[Message, ...], number: int, kind: str, said: str) -> Found:
    record = check_records.record_of(messages[number - 1])
    return Problem(kind, f"message {number}", said), record


def _doubled(messages: tuple[Message, ...]) -> Iterator[Found]:
    seen: dict[tuple[str, str], int] = {}
    for number, message in enumerate(messages, 1):
        if not message.native_id:
            continue
        first = seen.setdefault((message.stream, message.native_id), number)
        if first != number:
            said = f"its id {message.native_id} is that of message {first}"
            yield _at(messages, number, "duplicate-id", said)


def repair(workspace: Workspace, found: Resolved) -> Version:
    """Write a new version at the tip of a branch in which everything repairable is repaired; the
    old one stays as its parent. Raises UsageError if the revision is not a tip, Conflict if nothing
    can be repaired."""
    store, ref = workspace.store, HEADS + found.branch
    if not found.branch or store.ref(ref) != found.commit:
        raise UsageError(
            "only the newest version of a branch can be repaired",
            hint="`gitsession branch NAME REV` creates a branch there",
        )
    before = store.version(found.commit)
    session = snapshot.decode(store.tree(before.tree))
    doctor = _DOCTORS.get(session.info.agent)
    issues = (
        [issue for issue in doctor.diagnose(_records(session)) if issue.changes] if doctor else []
    )
    if doctor is None or not issues:
        raise Conflict("nothing in that conversation can be repaired", hint="nothing was changed")
    number = snapshot.decode_head(store.tree(before.tree)).number
    kinds = ", ".join(sorted({issue.kind for issue in issues}))
    session = _mended(session, doctor.mended(_records(session), issues))
    return _write(workspace, ref, before, session, number, f"Mend the tree of messages: {kinds}")


def _mended(session: Session, records: list[bytes]) -> Session:
    main = session.stream()
    new = tuple(
        record._replace(data=data) for record, data in zip(main.records, records, strict=True)
    )
    streams = [main._replace(records=new) if one is main else one for one in session.streams]
    return session._replace(streams=tuple(streams))


def _write(
    workspace: Workspace, ref: str, before: Version, session: Session, number: int, title: str
) -> Version:
    """Write the session as a whole: a record inside has changed, so any later turn may have."""
    turn = (session.turn or Turn())._replace(kind="rewrite", title=title, finished=True)
    redacted = workspace.redactor(session.info.cwd).redact(session._replace(turn=turn))
    agent = registry.get(session.info.agent)
    empty = snapshot.Head(session._replace(streams=(), sidecars=(), files=()), number=number)
    encoded, _ = snapshot.encode(redacted, empty, agent.constants)
    with workspace.store.writer() as writer:
        commit, _ = writer.commit(encoded, "", (before.id,))
    with workspace.store.transaction("repair-session", workspace.directory) as change:
        change.move(workspace.names.clean(ref), before.id, commit)
    workspace.store.records.remove("state", ref.removeprefix(HEADS))
    return workspace.store.version(commit)
