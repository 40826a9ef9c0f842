"""Lists of spans: merging overlaps, and replacing spans in a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitsession.redaction.patterns import Span

# If two rules find the same secret, the one with the lower number names it.
_GENERIC = {"secret": 2, "password": 2, "bearer-token": 1, "authorization": 1, "encoded": 3,
            "assigned": 3, "recalled": 3, "prefixed-key": 1, "sk-key": 1}  # fmt: skip


def generality(rule: str) -> int:
    return _GENERIC.get(rule, 0)


def merge(found: list[Span]) -> list[Span]:
    """Sort and merge spans; the most specific rule names a union, so a secret keeps one name."""
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
    """Extend spans that would cut a UTF-8 character: rules count bytes."""
    if text.isascii():
        return found
    return [
        (_border(text, start, -1), _border(text, end, 1), rule)
        for start, end, rule in found
        if end > start
    ]


def _border(text: bytes, at: int, step: int) -> int:
    """The nearest start of a UTF-8 character in that direction."""
    for _ in range(3):
        if not 0 < at < len(text) or text[at] & 0xC0 != 0x80:
            break
        at += step
    return at


def outside(found: list[Span], kept: Sequence[tuple[int, int]]) -> list[Span]:
    """The spans that overlap none of the sorted ranges in `kept`."""
    if not kept:
        return found
    return [
        span
        for span in found
        if not any(span[0] < stop and span[1] > begin for begin, stop in kept)
    ]


def fill(text: bytes, found: Sequence[Span], name: Callable[[bytes, str], str]) -> bytes:
    """Return `text` with every span replaced by `name(value, rule)`."""
    pieces: list[bytes] = []
    at = 0
    for start, end, rule in found:
        pieces.append(text[at:start])
        pieces.append(name(text[start:end], rule).encode("ascii"))
        at = end
    pieces.append(text[at:])
    return b"".join(pieces)
