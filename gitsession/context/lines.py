"""Shorten texts: to one line of a given width, and whole summaries with Claw's compressor."""

from __future__ import annotations

import re
from collections.abc import Iterable

CHARACTERS = 1_200
LINES = 24
WIDTH = 160


def one_line(text: str, width: int = WIDTH) -> str:
    """Return the text with white space collapsed, at most `width` characters, ending in `…` if
    cut."""
    # Do not normalise a megabyte to show one line of it.
    words = " ".join(text[: width * 8 + 1024].split())
    if len(words) <= width and len(text) <= width * 8 + 1024:
        return words
    return words[: width - 1].rstrip() + "…"


def compress(
    text: str, *, characters: int = CHARACTERS, lines: int = LINES, width: int = WIDTH
) -> str:
    """Return the text within the given number of characters and lines, each of at most `width`.
    Repeated lines appear once; important lines are kept first, in their order. The last line states
    how many were left out."""
    unique = _unique(one_line(line, width) for line in text.split("\n"))
    order = sorted(range(len(unique)), key=lambda at: (_rank(unique[at]), at))
    for count in range(min(len(unique), lines), -1, -1):
        left = len(unique) - count
        if left and count == lines:
            continue  # the note needs a line as well
        chosen = [unique[at] for at in sorted(order[:count])]
        if left:
            chosen.append(f"({left} lines left out)")
        result = "\n".join(chosen)
        if len(result) <= characters:
            return result
    return ""


def _unique(lines: Iterable[str]) -> list[str]:
    found: dict[str, str] = {}
    for line in lines:
        if line:
            found.setdefault(line.casefold(), line)
    return list(found.values())


_CORE = re.compile(r"(?i)^[-* ]*(scope|current work|pending|key files|tools|recent|requests?)\b")


def _rank(line: str) -> int:
    """Rank core lines first, then headers, bullets, everything else."""
    if _CORE.match(line):
        return 0
    if line.startswith("#") or line.endswith(":"):
        return 1
    return 2 if line.startswith(("-", "*", "•")) else 3
