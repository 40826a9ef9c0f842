"""Text of a session as XML 1.0: nothing in it can close an element, steer a terminal or hide.

Characters that XML forbids are removed, those that a terminal would obey or not show are made
visible, and the rest becomes one line.
"""

from __future__ import annotations

import re

from gitsession.render import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_QUOTE = '"'
_MARKS = re.compile("[&<>]")
_LOOKED_AT = 8
"""The number of characters examined for each one that may stay."""
MORE = "…"


def line(text: str, most: int) -> str:
    """Return one safe line of at most `most` characters, not escaped, ending in `…` if it was
    cut."""
    allowed = _FORBIDDEN.sub("", text[: most * _LOOKED_AT + 256])
    shown = " ".join(safe.line(allowed).split())
    return shown if len(shown) <= most else shown[: most - 1].rstrip() + MORE


def escaped(text: str) -> str:
    """Return the text as the content of an element."""
    return _MARKS.sub(lambda found: _ESCAPES[found[0]], text)


def shortened(text: str, room: int) -> str:
    """Return as much of an unescaped line as takes at most `room` bytes when escaped, including
    `…`; "" if nothing fits."""
    if size(escaped(text)) <= room:
        return text
    left, taken = room - size(MORE), 0
    for character in text:
        left -= size(_ESCAPES.get(character, character))
        if left < 0:
            break
        taken += 1
    kept = text[:taken].rstrip()
    return kept + MORE if kept else ""


def opening(name: str, attributes: Mapping[str, object]) -> str:
    """Return `<name a="1">`, without empty attributes."""
    values = {key: escaped(str(value)) for key, value in attributes.items() if value != ""}
    said = "".join(f' {key}="{value.replace(_QUOTE, "&quot;")}"' for key, value in values.items())
    return f"<{name}{said}>"


def size(text: str) -> int:
    """Return the length in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))
