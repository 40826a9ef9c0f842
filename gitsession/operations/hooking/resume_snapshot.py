"""snapshot: what a model should know to continue a version. Writes nothing."""

from __future__ import annotations

from dataclasses import replace

from gitsession.errors import UsageError
from gitsession.events import keep
from gitsession.model.history import REMOTES, WIP
from gitsession.operations import show
from gitsession.operations.reading import events
from gitsession.operations.searching.search_texts import entry
from gitsession.render import resume_snapshot as render
from gitsession.render import state_block as block
from gitsession.search import query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsession.model.event_list import EventList
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


def snapshot(workspace: Workspace, found: Resolved, budget: int = 0) -> str:
    """Return XML of at most `budget` bytes (0: as configured), always the same for a version.
    Raises UsageError."""
    session = events.session_of(workspace, found)
    listed = _kept(events.of_session(workspace, found, session))
    return _snapshot(workspace, found, budget, session, listed)


def with_state(workspace: Workspace, found: Resolved, budget: int = 0) -> tuple[str, str]:
    """Return the state block and the snapshot of a version, which is read only once for both."""
    session = events.session_of(workspace, found)
    listed = _kept(events.of_session(workspace, found, session))
    state = block.state_block(listed, _counter(workspace))
    return state, _snapshot(workspace, found, budget, session, listed)


def _snapshot(
    workspace: Workspace, found: Resolved, budget: int, session: Session, listed: EventList
) -> str:
    budget = budget or workspace.config["snapshot.budget"]
    if budget < render.LEAST:
        raise UsageError(f"a snapshot takes {render.LEAST} bytes at least")
    may_search = not found.ref.startswith(WIP) and not show.is_suspect(workspace, found.commit)
    finds = _finder(session.messages) if may_search else None
    return render.snapshot(
        listed, budget, searched=_searched(found, listed), finds=finds,
        program=workspace.environment.program,
    )  # fmt: skip


def state_block(workspace: Workspace, found: Resolved) -> str:
    """Return XML of at most 500 tokens, by the usual rule of thumb and by the contexts' counter."""
    return block.state_block(_kept(events.every(workspace, found)), _counter(workspace))


def _searched(found: Resolved, listed: EventList) -> str:
    """Return the name by which `search --session` finds the session: its version is short and
    survives renaming; what was only fetched has no branch here to which an id could lead."""
    if listed.session and not found.ref.startswith(REMOTES):
        return listed.version[: render.ID]
    return listed.session.partition("/")[0]


def _kept(listed: EventList) -> EventList:
    """Return the list without repeats."""
    kept = tuple(keep.without_repeats(listed.events))
    return replace(listed, count=len(kept), events=kept)


def _finder(messages: Sequence[Message]) -> Callable[[str, int], bool]:
    """Return a test of whether `search` finds a message by a query, from the message alone."""

    def finds(said: str, number: int) -> bool:
        (wanted,) = query.parse([said])
        texts = entry(messages[number - 1], number).texts
        return any(query.holds(wanted, text.text) for text in texts)

    return finds


def _counter(workspace: Workspace) -> Callable[[str], int]:
    """Return a counter that loads no tables for short texts: no token is shorter than a byte."""
    from gitsession.context import tokens

    cache = workspace.environment.cache_dir / "tiktoken"
    exact = tokens.counter(workspace.config["context.estimator"], cache)

    def count(text: str) -> int:
        size = len(text.encode("utf-8"))
        if size <= block.MOST:
            return size
        return max(tokens.claw_estimate(text), exact.count(text))

    return count
