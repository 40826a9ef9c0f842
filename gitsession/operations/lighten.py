"""checkout --budget: the session as an agent gets it when only a context of it is written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gitsession.errors import UsageError
from gitsession.model.message import Message
from gitsession.model.record import Record, Stream
from gitsession.model.session import Session
from gitsession.operations import context_view

if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

Writer = Callable[[Session, Sequence[Message]], tuple[Record, ...]]


def light(
    workspace: Workspace, found: Resolved, session: Session, budget: int, strategy: str
) -> tuple[Session, str]:
    """The session with a main stream that holds just the context, and one line about it. Streams of
    sub-agents and sidecars stay behind. Raises UsageError where the agent's form cannot be made."""
    write = _writer(session.info.agent)
    context = context_view.context(
        workspace, found, context_view.View(budget=budget, strategy=strategy)
    )
    main = Stream("main", write(session, context.messages))
    said = (
        f"{len(context.messages)} messages within {budget} tokens instead of "
        f"{len(context.ledger)}; the whole conversation stays stored"
    )
    return replace(session, streams=(main,), sidecars=(), messages=()), said


def _writer(agent: str) -> Writer:
    if agent == "claude-code":
        from gitsession.agents import claude_light

        return claude_light.records
    if agent == "codex":
        from gitsession.agents import codex_light

        return codex_light.records
    raise UsageError(
        f"sessions of {agent} cannot be written within a budget yet",
        hint="gitsession request --message TEXT makes a request of such a context",
    )
