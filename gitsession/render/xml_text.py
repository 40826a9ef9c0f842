"""Text of a session as XML 1.0: nothing in it can close an element, steer a terminal or hide.

What XML forbids is removed, what a terminal would obey or not show is made visible, the rest is
one line.
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
"""How many characters are looked at for each one that may stay."""
MORE = "…"


def line(text: str, most: int) -> str:
    """One safe line of at most `most` characters, not escaped; what was longer ends in `…`."""
    allowed = _FORBIDDEN.sub("", text[: most * _LOOKED_AT + 256])
    shown = " ".join(safe.line(allowed).split())
    return shown if len(shown) <= most else shown[: most - 1].rstrip() + MORE


def escaped(text: str) -> str:
    """The text as the content of an element."""
    return _MARKS.sub(lambda found: _ESCAPES[found[0]], text)


def shortened(text: str, room: int) -> str:
    """As much of an unescaped line as takes at most `room` bytes when it is escaped, with `…`; ""
    where that is nothing."""
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
    """`<name a="1">`; attributes that are empty are left out."""
    values = {key: escaped(str(value)) for key, value in attributes.items() if value != ""}
    said = "".join(f' {key}="{value.replace(_QUOTE, "&quot;")}"' for key, value in values.items())
    return f"<{name}{said}>"


def size(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))
