"""A person's request, without what an editor or agent put around it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gitsession.model.message import Message

_REQUEST = "## My request for Codex:"
_SENT_ALONG = re.compile(
    r"\s*<(ide_selection|ide_opened_file|ide_diagnostics|system-reminder|environment_context"
    r"|user_instructions|local-command-caveat)>.*?</\1>",
    re.DOTALL,
)
"""What the editors for Claude Code and Codex put before a prompt."""


def split(text: str) -> tuple[str, str]:
    """Return what the editor sent along and what the person wrote, each "" if there is nothing."""
    head, found, request = text.partition(_REQUEST)
    if found and request.strip():
        return head.strip(), request.strip()
    end = 0
    while along := _SENT_ALONG.match(text, end):
        end = along.end()
    return text[:end].strip(), text[end:].strip()


def asked(text: str) -> str:
    """Return the request itself, for headings and tables of contents; the whole text if nothing
    surrounds it."""
    text = split(text)[1] or text
    kept = [line for line in text.strip().split("\n") if line.strip()]
    while len(kept) > 1 and kept[0].strip().startswith("<") and kept[0].strip().endswith(">"):
        kept.pop(0)
    return "\n".join(kept)


def prompts(messages: Iterable[Message], first: int = 1) -> list[tuple[int, Message]]:
    """Return the messages that a person sent, with their numbers; summaries of compactions do not
    count."""
    return [
        (number, message)
        for number, message in enumerate(messages, first)
        if message.role == "user" and not any(part.kind == "compaction" for part in message.parts)
    ]
