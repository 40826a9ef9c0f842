"""Make text safe for one line of a commit message or a name: no controls, a known width."""

from __future__ import annotations

import re
from functools import lru_cache

# Kept as text and compiled on first use: an ASCII line needs none of them.
_SPACE = r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+"
_INVISIBLE = (
    "[\xad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Bidi controls and invisible characters; joiners are kept because scripts and emoji need them."""
_SURROGATE = "[\ud800-\udfff]"


def one_line(text: str) -> str:
    """Return `text` as one line without control or invisible characters; half surrogates become
    U+FFFD."""
    if not (text.isascii() and text.isprintable()):
        text = re.sub(_SPACE, " ", re.sub(_INVISIBLE, "", text))
        text = re.sub(_SURROGATE, "\ufffd", text)
    return text.strip()


def clip(text: str, columns: int) -> str:
    """Return at most `columns` display columns of `text`, ending in `…` if anything was cut."""
    if text.isascii():
        return text if len(text) <= columns else text[: columns - 1].rstrip() + "…"
    if 2 * len(text) <= columns:  # no character is wider than two
        return text
    used, cut = 0, -1
    for index, character in enumerate(text):
        used += 1 if character < "\x80" else _columns(character)
        if cut < 0 and used >= columns:
            cut = index  # where the `…` goes if the rest does not fit
        if used > columns:
            return text[:cut].rstrip() + "…"
    return text


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    """Return the width on a terminal: 2 for wide characters, 0 for combining and format ones, else
    1."""
    import unicodedata

    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
