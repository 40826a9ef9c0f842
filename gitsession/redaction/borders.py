"""The border scan: a token split across two adjacent strings (two tool outputs, two records)."""

from __future__ import annotations

from collections.abc import Callable

from gitsession.redaction.lines import ends_in_token, is_cut_name
from gitsession.redaction.patterns import Span
from gitsession.redaction.shapes import ALNUM, digits, lowers, uppers
from gitsession.redaction.spans import generality
from gitsession.redaction.words import is_wordy

_TOKEN = ALNUM | frozenset(b"+/=_.~:%-$@!^&*(#)")
_MARK = bytes(120 if code in _TOKEN else 32 for code in range(256))
_BEFORE = 1200
_AFTER = 1200
_SHORTEST_PART = 4
_SHORTEST_TOKEN = 16

Crossing = tuple[int, int, int, str]
"""Bytes at the end of the first string (trailing white space aside), start and end in the second
string, rule. The first number is 0 if the cut went through the name and the whole value is in the
second string."""


def tail_of(text: bytes) -> bytes:
    """The part of a string that matters to the next: its last bytes, b"" unless a token ends it."""
    end = text[-_BEFORE - 80 :].rstrip()[-_BEFORE:]
    size = len(end) - (end.translate(_MARK).rfind(b" ") + 1)
    return end if size >= _SHORTEST_PART else b""


def head_of(text: bytes) -> bytes:
    """The part of a string that matters to the previous one."""
    return text[: _AFTER + 80]


def may_join(tail: bytes, text: bytes) -> bool:
    """Whether the first word of `text` could continue the last word of `tail`."""
    if not tail:
        return False
    start = head_of(text).lstrip()
    head_size = start.translate(_MARK).find(b" ")
    head = start if head_size < 0 else start[:head_size]
    if len(head) < _SHORTEST_PART or (_is_word(head) and not ends_in_token(tail)):
        return False
    tail_size = len(tail) - (tail.translate(_MARK).rfind(b" ") + 1)
    return tail_size + len(head) >= _SHORTEST_TOKEN


def _is_word(head: bytes) -> bool:
    """`next`, `Next`; a fragment of a token has its capitals elsewhere."""
    return len(head) < 16 and head.isalpha() and (head.islower() or head.istitle())


def crossings(find: Callable[[bytes], list[Span]], tail: bytes, text: bytes) -> list[Crossing]:
    """Findings that cross the border between `tail` (from `tail_of`) and `text`."""
    head = head_of(text)
    start = head.lstrip()[:_AFTER]
    lead = len(head) - len(head.lstrip())
    size = len(tail)
    found = []
    for begin, end, rule in find(tail + start):
        # Two sentences together often look like a password.
        if end <= size or rule == "password":
            continue
        if begin >= size:
            if is_cut_name(tail + start, size, begin):
                found.append((0, begin - size + lead, end - size + lead, rule))
        elif _continues(find, tail, start[: end - size], rule):
            found.append((size - begin, lead, end - size + lead, rule))
    return found


def _continues(find: Callable[[bytes], list[Span]], tail: bytes, part: bytes, rule: str) -> bool:
    """Whether `part` continues the token: one that is already complete is continued only by what
    looks like more of it."""
    complete = any(end == len(tail) for _, end, _ in find(tail))
    if not complete:
        return True
    if len(part) >= _SHORTEST_PART and part[:1] in b"._-=":
        return True
    if len(part) < _SHORTEST_PART or part.isdigit():
        return False
    mixed = part.isalnum() and uppers(part[1:]) > 0 and lowers(part) > 1
    if is_wordy(part) and (generality(rule) or not mixed):
        return False
    return digits(part) > 0 or not _is_word(part)
