"""What messages cost: the tokens of their texts plus a fixed price for their framing."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gitsession.context.entry import Entry
from gitsession.context.tokens import Counter
from gitsession.model.message import Message, Part

MESSAGE = 4
CALL = 8
"""The framing of a tool call or a result: its id and type."""
MEDIA = 1600
"""What the large providers charge for one image of full size."""

_MEDIA_KINDS = ("image", "file")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Measure:
    """Measures parts, messages and sequences of them in tokens, using one counter."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._known: dict[int, tuple[Message, int]] = {}

    @property
    def name(self) -> str:
        return self._counter.name

    def text(self, text: str) -> int:
        return self._counter.count(text) if text else 0

    def part(self, part: Part) -> int:
        if part.kind in _MEDIA_KINDS:
            return MEDIA + self.text(part.name)
        tokens = self.text(part.text)
        if part.kind == "tool_call":
            return tokens + CALL + self.text(part.name) + self.text(input_text(part))
        return tokens + CALL if part.kind == "tool_result" else tokens

    def message(self, message: Message) -> int:
        """Return a message's cost, measured once: results are cached by object identity, and the
        cache keeps the message alive."""
        known = self._known.get(id(message))
        if known is None:
            known = (message, MESSAGE + sum(map(self.part, message.parts)))
            self._known[id(message)] = known
        return known[1]

    def entry(self, entry: Entry) -> int:
        """Return the cost in the context; 0 if the entry is left out."""
        return self.message(entry.message) if entry.kept else 0

    def entries(self, entries: Iterable[Entry]) -> int:
        return sum(map(self.entry, entries))

    def without_tools(self, entry: Entry) -> int:
        """Return a lower bound of the cost, however short the texts of its tools become."""
        if not entry.kept:
            return 0
        parts = entry.message.parts
        return MESSAGE + sum(
            CALL if part.kind in ("tool_call", "tool_result") else self.part(part) for part in parts
        )


def input_text(part: Part) -> str:
    """Return the arguments of a call as the text that a model reads: a string as it is, anything
    else as JSON."""
    if isinstance(part.input, str):
        return part.input
    if part.input is None:
        return "{}"
    try:
        return _ENCODER.encode(part.input)
    except (TypeError, ValueError, RecursionError):
        return "{}"
