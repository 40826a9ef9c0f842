"""Lists of spans: union of overlapping ones, and the text with them replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitsession.redaction.patterns import Span

# Where two rules see the same secret the one with the lower number names it.
_GENERIC = {"secret": 2, "password": 2, "bearer-token": 1, "authorization": 1, "encoded": 3,
            "assigned": 3, "recalled": 3, "prefixed-key": 1, "sk-key": 1}  # fmt: skip


def generality(rule: str) -> int:
    return _GENERIC.get(rule, 0)


def merge(found: list[Span]) -> list[Span]:
    """Sorted and disjoint; the most specific rule names a union: one secret keeps one name."""
    found.sort(key=lambda span: (span[0], -span[1], generality(span[2]), span[2]))
    merged: list[Span] = []
    for start, end, rule in found:
        if end <= start:
            continue
        if merged and start < merged[-1][1]:
            first, last, other = merged[-1]
            best = rule if generality(rule) < generality(other) else other
            merged[-1] = (first, max(end, last), best)
        else:
            merged.append((start, end, rule))
    return merged


def whole(text: bytes, found: list[Span]) -> list[Span]:
    """The spans with the rest of a character that one would cut: a rule counts bytes."""
    if text.isascii():
        return found
    return [
        (_border(text, start, -1), _border(text, end, 1), rule)
        for start, end, rule in found
        if end > start
    ]


def _border(text: bytes, at: int, step: int) -> int:
    """The nearest place in that direction where a character of UTF-8 begins."""
    for _ in range(3):
        if not 0 < at < len(text) or text[at] & 0xC0 != 0x80:
            break
        at += step
    return at


def outside(found: list[Span], kept: Sequence[tuple[int, int]]) -> list[Span]:
    """The spans that touch none of the sorted ranges in `kept`."""
    if not kept:
        return found
    return [
        span
        for span in found
        if not any(span[0] < stop and span[1] > begin for begin, stop in kept)
    ]


def fill(text: bytes, found: Sequence[Span], name: Callable[[bytes, str], str]) -> bytes:
    """`text` with every span replaced by what `name(value, rule)` says."""
    pieces: list[bytes] = []
    at = 0
    for start, end, rule in found:
        pieces.append(text[at:start])
        pieces.append(name(text[start:end], rule).encode("ascii"))
        at = end
    pieces.append(text[at:])
    return b"".join(pieces)
