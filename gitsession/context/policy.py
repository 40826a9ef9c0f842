"""When a conversation is due for a compaction: Claw Code's count of input tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.model.message import Message

THRESHOLD = 100_000
VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_INPUT_TOKENS"


def threshold(text: str = "") -> int:
    """The threshold that the variable's text states; nothing, no number or 0 is the default."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and int(text) else THRESHOLD


def crossings(messages: Iterable[Message], limit: int = THRESHOLD) -> Iterator[int]:
    """Numbers of the messages at which the input tokens since the last compaction reach `limit`:
    once for each crossing, and again only after a compaction."""
    total, told = 0, False
    for number, message in enumerate(messages, 1):
        if any(part.kind == "compaction" for part in message.parts):
            total, told = 0, False
        total += message.usage.input if message.usage else 0
        if total >= limit and not told:
            told = True
            yield number
