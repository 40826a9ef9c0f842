"""Colours by the role of a text. The caller decides whether to use them; nothing is detected
here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
    """`palette("added", text)` wraps text in the colour of that role, or returns it unchanged. A
    "hint" is our own wording: `own` says how to call the commands in it."""

    __slots__ = ("colour", "own")

    def __init__(self, colour: bool, own: Callable[[str], str] = str) -> None:
        self.colour = colour
        self.own = own

    def __call__(self, role: str, text: str) -> str:
        if role == "hint":
            text = self.own(text)
        code = _CODES.get(role, "")
        if not self.colour or not code or not text:
            return text
        return f"\x1b[{code}m{text}\x1b[0m"


PLAIN = Palette(False)
COLOUR = Palette(True)
