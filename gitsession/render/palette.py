"""Colours by what a text is. Whether to use them is the caller's choice, never found out here."""

from __future__ import annotations

_CODES = {
    "id": "33",
    "head": "1;36",
    "branch": "1;32",
    "tag": "1;33",
    "remote": "1;31",
    "graph": "31",
    "title": "1",
    "heading": "1",
    "user": "1;34",
    "assistant": "1;35",
    "tool": "36",
    "added": "32",
    "removed": "31",
    "changed": "33",
    "hunk": "36",
    "ok": "32",
    "error": "31",
    "warning": "33",
    "dim": "2",
    "match": "1;31",
    "hint": "36",
}


class Palette:
    """`palette("added", text)` wraps text in the colour of that role, or in nothing."""

    __slots__ = ("colour",)

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, role: str, text: str) -> str:
        code = _CODES.get(role, "")
        if not self.colour or not code or not text:
            return text
        return f"\x1b[{code}m{text}\x1b[0m"


PLAIN = Palette(False)
COLOUR = Palette(True)
