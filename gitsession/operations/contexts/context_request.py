"""request: the complete request that would continue a version. Writes nothing, sends nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gitsession.context import instructions
from gitsession.context.limits import limits
from gitsession.context.requests import request as make_request
from gitsession.context.wire import MAX_TOKENS, Asking, state_text
from gitsession.errors import UsageError
from gitsession.model.message import Message, Part
from gitsession.model.record import SYSTEM_PROMPT
from gitsession.operations import read_messages
from gitsession.operations.contexts import context_view
from gitsession.operations.saving import instruction_files

if TYPE_CHECKING:
    from gitsession.operations.contexts.context_view import View
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


def request(
    workspace: Workspace, found: Resolved, message: str, form: str, view: View
) -> dict[str, Any]:
    """Return the request that continues with a new message of the user, as JSON values."""
    if not message.strip():
        raise UsageError("a request needs a message", hint="--message TEXT")
    with read_messages.unswept():
        session = context_view.session_of(workspace, found)
        asked = Message("user", (Part("text", message),))
        budget = view.budget or context_view.budget_of(workspace, session, view)
        prompt = view.system_prompt or context_view.own_prompt(session)
        files = _instructions(workspace, found, prompt, budget) if view.instructions else ""
        system = "\n\n".join(text for text in (prompt, files, state_text(session.state)) if text)
        longer = session._replace(messages=(*session.messages, asked))
        wanted = replace(view, budget=budget)
        built = context_view.of_session(workspace, found, longer, wanted, system)
    model = context_view.model_of(session, view)
    output = limits(model, context_view.own_limits(workspace)).output or MAX_TOKENS
    asking = Asking(
        model=model or "unknown",
        session_id=session.info.native_id,
        tools=session.state.tools,
        output=min(output, MAX_TOKENS),
    )
    return make_request(built, asking, form)


def _instructions(workspace: Workspace, found: Resolved, prompt: str, budget: int) -> str:
    """Return the instruction files that were in force, as text of at most as many characters as the
    budget has tokens; nothing from somebody else's version: what a stranger wrote is no instruction
    here."""
    texts = {
        file.path: (file.content or b"").decode("utf-8", "replace")
        for file in instruction_files.shown(workspace, found.commit)
        if file.path != SYSTEM_PROMPT or not prompt
    }
    if not texts or not workspace.store.is_own(found.commit):
        return ""
    return instructions.text_of(texts, prompt, min(instructions.ALL, budget))
