"""Requests to a model: model, system prompt, optional summary, chain, new message and tools, in
that order, in each provider's own shape. They are values for JSON; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable

from gitsession.context.entry import Context
from gitsession.context.request_anthropic import anthropic
from gitsession.context.request_gemini import gemini
from gitsession.context.request_openai import openai
from gitsession.context.wire import Asking, Json
from gitsession.errors import UsageError

FORMS: dict[str, Callable[[Context, Asking], Json]] = {
    "anthropic": anthropic,
    "openai": openai,
    "gemini": gemini,
}


def request(context: Context, asking: Asking, form: str) -> Json:
    """Return the request as JSON values. Raises UsageError for an unknown `form`."""
    if form not in FORMS:
        raise UsageError(f"there is no request format {form}", hint="one of " + ", ".join(FORMS))
    return FORMS[form](context, asking)
