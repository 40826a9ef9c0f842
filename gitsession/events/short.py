"""Texts made small enough for an event: at most so many bytes, never in the middle of a letter."""

from __future__ import annotations

MOST = 4_096
"""Bytes of an event's data."""
_CUT = " …"


def short(text: str, most: int = MOST) -> str:
    """The text without white space at its ends, at most `most` bytes of UTF-8; `…` where it was
    cut. Half a surrogate pair stays as it is."""
    text = text[: most + 256].strip() if len(text) > most + 256 else text.strip()
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= most:
        return text
    left = most - len(_CUT.encode())
    while left and encoded[left] & 0xC0 == 0x80:  # not in the middle of a letter
        left -= 1
    return encoded[:left].decode("utf-8", "surrogatepass").rstrip() + _CUT


def line(text: str, most: int = 160) -> str:
    """One line of at most so many characters: white space as single spaces."""
    words = " ".join(text[: most * 8].split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def between(text: str, tag: str) -> str:
    """What stands in the first `<tag>…</tag>`, "" if there is none."""
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start) if start >= 0 else -1
    return text[start + len(tag) + 2 : end].strip() if end >= 0 else ""


def size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
