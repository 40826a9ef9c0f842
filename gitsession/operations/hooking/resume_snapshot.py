"""snapshot: what a model should know to go on with a version. Writes nothing."""

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
    """XML of at most `budget` bytes (0: as configured), always the same for a version. Raises
    UsageError."""
    session = events.session_of(workspace, found)
    listed = _kept(events.of_session(workspace, found, session))
    return _snapshot(workspace, found, budget, session, listed)


def with_state(workspace: Workspace, found: Resolved, budget: int = 0) -> tuple[str, str]:
    """The state block and the snapshot of a version that is read once for both."""
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
    return render.snapshot(listed, budget, searched=_searched(found, listed), finds=finds)


def state_block(workspace: Workspace, found: Resolved) -> str:
    """XML of at most 500 tokens, by the usual rule of thumb and by the counter of contexts."""
    return block.state_block(_kept(events.every(workspace, found)), _counter(workspace))


def _searched(found: Resolved, listed: EventList) -> str:
    """What `search --session` knows the session by: its version is short, and stays when it gets
    another name; what was only fetched has no branch here that an id could lead to."""
    if listed.session and not found.ref.startswith(REMOTES):
        return listed.version[: render.ID]
    return listed.session.partition("/")[0]


def _kept(listed: EventList) -> EventList:
    """Without repeats."""
    kept = tuple(keep.without_repeats(listed.events))
    return replace(listed, count=len(kept), events=kept)


def _finder(messages: Sequence[Message]) -> Callable[[str, int], bool]:
    """Whether `search` finds a message by a query, told from the message alone."""

    def finds(said: str, number: int) -> bool:
        (wanted,) = query.parse([said])
        texts = entry(messages[number - 1], number).texts
        return any(query.holds(wanted, text.text) for text in texts)

    return finds


def _counter(workspace: Workspace) -> Callable[[str], int]:
    """Counts of short texts need no tables: no token is less than a byte."""
    from gitsession.context import tokens

    cache = workspace.environment.cache_dir / "tiktoken"
    exact = tokens.counter(workspace.config["context.estimator"], cache)

    def count(text: str) -> int:
        size = len(text.encode("utf-8"))
        if size <= block.MOST:
            return size
        return max(tokens.claw_estimate(text), exact.count(text))

    return count
