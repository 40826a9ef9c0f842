"""Search queries for finding more: short plain words of a text, safe to type into a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

MOST_CHARACTERS = 80
MOST_WORDS = 8
_LEAST_CHARACTERS = 3
_LOOKED_AT = 2_000
_RUN = re.compile(r"[\w/.][\w./@:+#=-]*(?: [\w/.@:+#=][\w./@:+#=-]*)*")
"""Matches nothing that a shell or `search` itself would interpret: only words and single spaces."""


def of_text(text: str) -> str:
    """Return the most informative run of plain words in the text, verbatim; "" if there is none."""
    runs = (_cut(found[0]) for found in _RUN.finditer(text[:_LOOKED_AT]))
    return max(runs, key=lambda run: (run.count(" "), len(run)), default="")


def of_path(path: str) -> str:
    """Return the last name of a path, if it can be typed without quoting; else ""."""
    name = path.rstrip("/").rpartition("/")[2]
    found = _RUN.fullmatch(name)
    return name if found and _LEAST_CHARACTERS <= len(name) <= MOST_CHARACTERS else ""


def command(query: str, session: str, program: str = "gitsession") -> str:
    """Return the command line; without a session's name it searches all sessions."""
    where = f"--session {shlex.quote(session)}" if session else "--all"
    return f"{program} search {where} {shlex.quote(query)}"


def _cut(run: str) -> str:
    kept = " ".join(_some(run.split(" "))).rstrip(" .:,=+@#-")
    return kept if len(kept) >= _LEAST_CHARACTERS else ""


def _some(words: list[str]) -> Iterator[str]:
    """Yield the first words that fit."""
    left = MOST_CHARACTERS + 1
    for word in words[:MOST_WORDS]:
        left -= len(word) + 1
        if left < 0:
            return
        yield word
