"""checkout --budget: the session as an agent gets it if only a context of it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitsession.errors import UsageError
from gitsession.model.message import Message
from gitsession.model.record import Record, Stream
from gitsession.model.session import Session
from gitsession.operations.contexts import context_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.checkouts.checkout import Wishes
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

Writer = Callable[[Session, Sequence[Message]], tuple[Record, ...]]


def can(agent: str) -> bool:
    """Whether a context can be written as records of that agent's own session; other agents get it
    as a session composed from messages."""
    return agent in ("claude-code", "codex")


def context(workspace: Workspace, found: Resolved, wishes: Wishes) -> Sequence[Message]:
    """Return the messages that fit the requested budget. Raises UsageError."""
    if wishes.budget < 0:
        raise UsageError("a budget is a number of tokens")
    if wishes.reveal:
        raise UsageError("--reveal and --budget exclude each other", hint="leave one out")
    view = context_view.View(budget=wishes.budget, strategy=wishes.strategy)
    return context_view.context(workspace, found, view).messages


def light(workspace: Workspace, found: Resolved, session: Session, wishes: Wishes) -> Session:
    """Return the session with a main stream that holds only the context: streams of subagents and
    sidecars stay behind. Raises UsageError if that cannot be written."""
    write = _writer(session.info.agent)
    messages = context(workspace, found, wishes)
    main = Stream("main", write(session, messages))
    return session._replace(streams=(main,), sidecars=(), messages=())


def _writer(agent: str) -> Writer:
    if agent == "claude-code":
        from gitsession.agents.claude_code import light as claude_light

        return claude_light.records
    if agent == "codex":
        from gitsession.agents.codex import light as codex_light

        return codex_light.records
    raise UsageError(
        f"sessions of {agent} cannot be written within a budget yet",
        hint="gitsession request --message TEXT makes a request of such a context",
    )
