"""The border scan: a token that two neighbouring strings (two tool outputs, two records) share."""

from __future__ import annotations

from collections.abc import Callable

from gitsession.redaction.patterns import Span
from gitsession.redaction.shapes import ALNUM, is_identifier, is_wordy

_TOKEN = ALNUM | frozenset(b"+/=_.~:%-$@!")
_MARK = bytes(120 if code in _TOKEN else 32 for code in range(256))
_BEFORE = 300
_AFTER = 600
_SHORTEST_PART = 4
_SHORTEST_TOKEN = 16

Crossing = tuple[int, int, str]
"""Bytes at the end of the first string (its white space apart), bytes at the start of the second,
rule."""


def tail_of(text: bytes) -> bytes:
    """What of a string matters to the next one: its last bytes, b"" if no token ends it."""
    end = text[-_BEFORE - 80 :].rstrip()[-_BEFORE:]
    size = len(end) - (end.translate(_MARK).rfind(b" ") + 1)
    return end if size >= _SHORTEST_PART else b""


def may_join(tail: bytes, text: bytes) -> bool:
    """Whether the first word of `text` could go on with the last one of `tail`."""
    if not tail:
        return False
    start = text[: _AFTER + 80].lstrip()
    head_size = start.translate(_MARK).find(b" ")
    head = start if head_size < 0 else start[:head_size]
    if len(head) < _SHORTEST_PART or (is_identifier(head) and is_wordy(head)):
        return False
    tail_size = len(tail) - (tail.translate(_MARK).rfind(b" ") + 1)
    return tail_size + len(head) >= _SHORTEST_TOKEN


def crossings(
    find: Callable[[bytes], list[Span]], tail: bytes, text: bytes
) -> list[Crossing]:
    """Findings that run over the border of `tail` (from `tail_of`) and `text`."""
    start = text[: _AFTER + 80].lstrip()[:_AFTER]
    lead = len(text[: _AFTER + 80]) - len(text[: _AFTER + 80].lstrip())
    size = len(tail)
    return [
        (size - begin, end - size + lead, rule)
        for begin, end, rule in find(tail + start)
        # Two sentences often look like one password.
        if begin < size < end and rule != "password"
    ]
