"""The line of a text that shows why it was found, and the positions of the words in it."""

from __future__ import annotations

from collections.abc import Sequence

from gitsession.search import query
from gitsession.search.query import Span, Wanted

_MOST = 2_000_000
"""The number of characters of a text that are examined."""
WIDTH = 160
"""The number of characters of a line that are shown."""
_BEFORE = 40


def snippet(text: str, wanted: Sequence[Wanted]) -> tuple[str, tuple[Span, ...]]:
    """Return the line with most of the words, cut to what can be shown, and the marked positions in
    it."""
    text = text[:_MOST]
    found = [(place, one) for one, each in enumerate(wanted) for place in query.spans(each, text)]
    if not found:
        return _cut(_first_line(text), [])
    begin, end = _best_line(text, found)
    inside = sorted(
        (max(start, begin) - begin, min(stop, end) - begin)
        for (start, stop), _ in found
        if start < end and stop > begin
    )
    return _cut(text[begin:end], _merged(inside))


def _first_line(text: str) -> str:
    return next((line for line in text.split("\n") if line.strip()), "")


def _best_line(text: str, found: Sequence[tuple[Span, int]]) -> Span:
    """Return the line with the most different words; of several such lines, the first."""
    lines: dict[int, set[int]] = {}
    for (start, _), one in sorted(found):
        lines.setdefault(text.rfind("\n", 0, start) + 1, set()).add(one)
    begin = max(lines, key=lambda at: (len(lines[at]), -at))
    end = text.find("\n", begin)
    return begin, end if end >= 0 else len(text)


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _cut(line: str, marks: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """Return the line around its first mark, with `…` where something was left out."""
    begin = len(line) - len(line.lstrip())
    if marks and marks[0][0] - begin > _BEFORE and len(line) > WIDTH:
        begin = max(begin, min(marks[0][0] - _BEFORE, len(line) - WIDTH))
    cut, left = line[begin : begin + WIDTH].rstrip(), begin > 0 and bool(line[:begin].strip())
    more = bool(line[begin + WIDTH :].strip())
    shift = begin - (1 if left else 0)
    kept = [
        (max(start, begin) - shift, min(end, begin + len(cut)) - shift)
        for start, end in marks
        if start < begin + len(cut) and end > begin
    ]
    return ("…" if left else "") + cut + ("…" if more else ""), tuple(kept)
