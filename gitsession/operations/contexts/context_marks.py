"""compact, prune, unprune: markers in the state of a new version. Streams stay as they are; the
markers only change what a context is built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.context import policy
from gitsession.context.build import in_force, readable_pairs
from gitsession.context.groups import exchanges
from gitsession.context.measure import Measure
from gitsession.context.prune import beyond
from gitsession.context.summary import Told, summarise
from gitsession.errors import Conflict, NotFound, UsageError
from gitsession.model.history import HEADS
from gitsession.model.session import Turn
from gitsession.operations.contexts import context_view
from gitsession.snapshot import Head

if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

SUMMARY = 4_000
"""The limit for the summary of a compaction, in tokens."""


def compact(
    workspace: Workspace, found: Resolved, recent: int = 4, crossing: int = 0
) -> Version | None:
    """Replace everything but the newest exchanges by one local summary from here on; return None if
    there is nothing before them. `crossing` is the message at which that became due."""
    session = context_view.session_of(workspace, found)
    entries = readable_pairs(session)
    old = [place for one in exchanges(entries)[: -recent or None] for place in one]
    if not old:
        return None
    measure = Measure(context_view.counter(workspace))
    covered = [entries[place] for place in old]
    text = summarise(Told(covered, session.state.todos), SUMMARY, measure)
    first, last = covered[0].number, covered[-1].number
    marker = {"kind": "compact", "first": first, "last": last, "summary": text}
    if crossing:
        marker["crossing"] = crossing
    return mark(workspace, found, marker, f"Compact messages {first} to {last}")


def due(workspace: Workspace, found: Resolved, limit: int = 0) -> int:
    """Return the message at which input tokens since the last compaction reached the limit (by
    default Claw Code's, from its variable); 0 if they have not."""
    session = context_view.session_of(workspace, found)
    limit = limit or policy.threshold(workspace.environment.get(policy.VARIABLE))
    marked = [marker.get("crossing") for marker in session.state.markers]
    start = max((number for number in marked if isinstance(number, int)), default=0)
    place = next(policy.crossings(session.messages[start:], limit), 0)
    return start + place if place else 0


def uncompact(workspace: Workspace, found: Resolved) -> Version | None:
    """Show the whole conversation again."""
    return mark(workspace, found, {"kind": "compact"}, "Take the compaction back")


def prune(workspace: Workspace, found: Resolved, calls: tuple[str, ...] = ()) -> Version | None:
    """Clear the results of these calls in every context; by default those that the rule for old
    tool output selects, and None if it selects none. Raises NotFound for an unknown call."""
    session = context_view.session_of(workspace, found)
    _check(session, calls)
    wanted = calls or beyond(readable_pairs(session))
    if not wanted:
        return None
    marker = {"kind": "prune", "calls": list(wanted)}
    said = "1 tool result" if len(wanted) == 1 else f"{len(wanted)} tool results"
    return mark(workspace, found, marker, f"Prune {said}")


def unprune(workspace: Workspace, found: Resolved, calls: tuple[str, ...] = ()) -> Version | None:
    """Show the results of these calls again, or of all. Raises NotFound for an unknown call."""
    if calls:
        _check(context_view.session_of(workspace, found), calls)
    marker: dict[str, Any] = {"kind": "unprune", **({"calls": list(calls)} if calls else {})}
    return mark(workspace, found, marker, "Take the pruning back")


def _check(session: Session, calls: tuple[str, ...]) -> None:
    known = {part.call_id for message in session.messages for part in message.parts}
    if not known.issuperset(calls):
        raise NotFound(
            "this version has no tool call with that id",
            hint="`gitsession show REV` lists the calls with their ids",
        )


def mark(
    workspace: Workspace, found: Resolved, marker: dict[str, Any], title: str
) -> Version | None:
    """Write a new version at the tip of a branch that differs by this marker alone; return None if
    contexts are already built that way.

    Raises UsageError if the revision is not a tip, Conflict if it is an open version.
    """
    store, ref = workspace.store, HEADS + found.branch
    if found.message or not found.branch or store.ref(ref) != found.commit:
        raise UsageError(
            "only the newest version of a branch can be marked",
            hint="`gitsession branch NAME REV` creates a branch there",
        )
    before = store.version(found.commit)
    if before.trailers.get("Kind") == "open":
        raise Conflict(
            "the newest version is still open", hint="save again when its turn has ended"
        )
    hint: dict[str, Any] | None = store.records.read("state", found.branch)
    if hint is not None and hint["commit"] != found.commit:
        hint = None
    head = Head.from_dict(hint["head"]) if hint else snapshot.decode_head(store.tree(before.tree))
    if _changes_nothing(head.session, marker):
        return None
    part = _with_marker(head.session, marker, title)
    redacted = workspace.redactor().redact(part)
    encoded, after = snapshot.encode(redacted, head, _constants(part))
    with store.writer() as writer:
        commit, tree = writer.commit(encoded, before.tree, (before.id,))
    with store.transaction(str(marker["kind"]), workspace.directory) as change:
        change.move(workspace.names.clean(ref), before.id, commit)
    if hint:
        renewed = {**hint, "commit": commit, "base": commit, "tree": tree, "head": after.to_dict()}
        store.records.write("state", workspace.names.clean(found.branch), renewed)
    return store.version(commit)


def _changes_nothing(session: Session, marker: dict[str, Any]) -> bool:
    before, after = in_force(session.state.markers), in_force((*session.state.markers, marker))
    return before[0] == after[0] and _covered(before[1]) == _covered(after[1])


def _covered(marker: Mapping[str, object] | None) -> tuple[object, object]:
    """Return the first and last message that a compaction replaces by a summary; None for both if
    there is no compaction."""
    return (marker.get("first"), marker.get("last")) if marker else (None, None)


def _constants(session: Session) -> tuple[str, ...]:
    return registry.get(session.info.agent).constants


def _with_marker(session: Session, marker: dict[str, Any], title: str) -> Session:
    """Return the head as a continuation without records, with this marker added to its state."""
    state = session.state._replace(markers=(*session.state.markers, marker))
    time = session.turn.time if session.turn else ""
    return session._replace(state=state, turn=Turn("turn", time=time, title=title))


VERBS: dict[str, Callable[..., Version | None]] = {
    "compact": compact,
    "uncompact": uncompact,
    "prune": prune,
    "unprune": unprune,
}
