"""Shorten texts for events: to a number of bytes, never in the middle of a character."""

from __future__ import annotations

MOST = 4_096
"""The most bytes in an event's data."""
_CUT = " …"


def short(text: str, most: int = MOST) -> str:
    """Return the text, stripped, in at most `most` bytes of UTF-8, ending in `…` if it was cut.
    Half a surrogate pair is kept."""
    text = text[: most + 256].strip() if len(text) > most + 256 else text.strip()
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= most:
        return text
    left = most - len(_CUT.encode())
    while left and encoded[left] & 0xC0 == 0x80:  # not in the middle of a character
        left -= 1
    return encoded[:left].decode("utf-8", "surrogatepass").rstrip() + _CUT


def line(text: str, most: int = 160) -> str:
    """Return one line of at most `most` characters, with white space collapsed."""
    words = " ".join(text[: most * 8].split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def between(text: str, tag: str) -> str:
    """Return the content of the first `<tag>…</tag>`, "" if there is none."""
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start) if start >= 0 else -1
    return text[start + len(tag) + 2 : end].strip() if end >= 0 else ""


def size(text: str) -> int:
    """Return the length in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
