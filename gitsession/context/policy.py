"""When a conversation is due for compaction: Claw Code's count of input tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.model.message import Message

THRESHOLD = 100_000
VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_INPUT_TOKENS"


def threshold(text: str = "") -> int:
    """Return the threshold in the variable's text; the default if it is empty, 0 or not a
    number."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and int(text) else THRESHOLD


def crossings(messages: Iterable[Message], limit: int = THRESHOLD) -> Iterator[int]:
    """Yield the numbers of the messages at which the input tokens since the last compaction reach
    `limit`: once per crossing, and again only after a compaction."""
    total, told = 0, False
    for number, message in enumerate(messages, 1):
        if any(part.kind == "compaction" for part in message.parts):
            total, told = 0, False
        total += message.usage.input if message.usage else 0
        if total >= limit and not told:
            told = True
            yield number
