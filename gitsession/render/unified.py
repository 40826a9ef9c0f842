"""Unified diffs of texts, in time that depends on their length even for very different files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitsession.model.align import align

CONTEXT = 3


class Hunk(NamedTuple):
    """A run of lines: `old` and `new` are (first line from 1, count); lines start with ` `, `-`,
    `+` or `\\`."""

    old: tuple[int, int]
    new: tuple[int, int]
    lines: list[str]

    @property
    def heading(self) -> str:
        return f"@@ -{_span(self.old)} +{_span(self.new)} @@"


def _span(span: tuple[int, int]) -> str:
    first, count = span
    return str(first) if count == 1 else f"{first if count else first - 1},{count}"


def split(text: str) -> list[str]:
    """Return lines with their ends, split at `\\n` only."""
    lines = text.split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def hunks(old: Sequence[str], new: Sequence[str], context: int = CONTEXT) -> Iterator[Hunk]:
    """Yield the places that differ, with `context` lines around them."""
    group: list[tuple[str, int, int]] = []
    quiet = 0
    for step in _script(old, new):
        group.append(step)
        quiet = quiet + 1 if step[0] == " " else 0
        busy = len(group) > quiet
        if not busy:
            del group[: -context or len(group)]
            quiet = len(group)
        elif quiet > 2 * context:
            keep = quiet - context
            yield _hunk(group[: len(group) - keep], old, new)
            group = group[len(group) - context :] if context else []
            quiet = len(group)
    if len(group) > quiet:
        yield _hunk(group[: len(group) - max(quiet - context, 0)], old, new)


def _script(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield every line of both sides in order, as (sign, position in old, position in new)."""
    i = j = 0
    for end_i, end_j in [*align(old, new), (len(old), len(new))]:
        for gone in range(i, end_i):
            yield "-", gone, j
        for came in range(j, end_j):
            yield "+", end_i, came
        if end_i < len(old):
            yield " ", end_i, end_j
        i, j = end_i + 1, end_j + 1


def _hunk(steps: list[tuple[str, int, int]], old: Sequence[str], new: Sequence[str]) -> Hunk:
    lines = []
    for sign, i, j in steps:
        text = new[j] if sign == "+" else old[i]
        lines.append(sign + text.removesuffix("\n"))
        if not text.endswith("\n"):
            lines.append("\\ No newline at end of file")
    removed = sum(sign != "+" for sign, _, _ in steps)
    added = sum(sign != "-" for sign, _, _ in steps)
    return Hunk((steps[0][1] + 1, removed), (steps[0][2] + 1, added), lines)


def counts(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the lines added and removed."""
    same = len(align(old, new))
    return len(new) - same, len(old) - same


def text_of(content: bytes | None) -> str | None:
    """Return a file's text, or None if it is binary. Bytes that are not UTF-8 become `�`."""
    if content is None:
        return ""
    if b"\0" in content[:8000]:
        return None
    return content.decode("utf-8", "replace")
