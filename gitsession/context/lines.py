"""Texts made short: one line of so many characters, and whole summaries by Claw's compressor."""

from __future__ import annotations

import re
from collections.abc import Iterable

CHARACTERS = 1_200
LINES = 24
WIDTH = 160


def one_line(text: str, width: int = WIDTH) -> str:
    """White space as single spaces, at most `width` characters, `…` where it was longer."""
    # A megabyte is not normalised to show a line of it.
    words = " ".join(text[: width * 8 + 1024].split())
    if len(words) <= width and len(text) <= width * 8 + 1024:
        return words
    return words[: width - 1].rstrip() + "…"


def compress(
    text: str, *, characters: int = CHARACTERS, lines: int = LINES, width: int = WIDTH
) -> str:
    """At most so many characters and lines of so much width; repeated lines once; the important
    ones first to stay, in their order. The last line tells how many were left out."""
    unique = _unique(one_line(line, width) for line in text.split("\n"))
    order = sorted(range(len(unique)), key=lambda at: (_rank(unique[at]), at))
    for count in range(min(len(unique), lines), -1, -1):
        left = len(unique) - count
        if left and count == lines:
            continue  # the note needs a line, too
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
    """Core lines, headers, bullets, the rest."""
    if _CORE.match(line):
        return 0
    if line.startswith("#") or line.endswith(":"):
        return 1
    return 2 if line.startswith(("-", "*", "•")) else 3
