"""Anchored rules: each a single vendor's token form, compiled when its anchor occurs."""

from __future__ import annotations

from functools import cache

from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import (
    ALNUM,
    digits,
    entropy,
    is_dummy,
    is_random,
    lowers,
    uppers,
)
from gitsession.redaction.words import is_wordy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.settings import Row

_NEAR = 400
_LONGEST = 6000
"""No token is longer, and a row of anchors must not be read to its end from each of them."""
_AWS_SECRET = Lazy(rb"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_HEX = Lazy(rb"[0-9a-f]+")


class Rule:
    """A row of rules.yaml, ready to be tried where one of its anchors occurs."""

    __slots__ = ("_back", "_before", "_boundary", "_near", "_pattern", "_random", "anchors", "id")

    def __init__(
        self,
        name: str,
        anchors: tuple[bytes, ...],
        pattern: bytes,
        before: bytes,
        back: int,
        boundary: bool,
        random: bool,
        near: tuple[bytes, ...],
    ) -> None:
        self.id = name
        self.anchors = anchors
        self._pattern = Lazy(b"(?s)" + pattern)
        self._before = Lazy(before) if before else None
        self._back = back
        self._boundary = boundary
        self._random = random
        self._near = near

    def find(self, text: bytes, anchor: int, found: list[Span]) -> int:
        """Append the token with this `anchor`, if it is one; return the bytes weighed."""
        if found and found[-1][2] == self.id and found[-1][0] < anchor < found[-1][1]:
            return 0
        start = anchor - self._back
        at = start
        if self._before:
            head = self._before.search(text, max(0, start), anchor)
            if not head:
                return 0
            start, at = head.start(), anchor
        if start < 0 or (self._boundary and start > 0 and text[start - 1] in ALNUM):
            return 0
        match = self._pattern.match(text, at, min(len(text), at + _LONGEST))
        if match is None:
            return 0
        grouped = "s" in match.re.groupindex
        begin, end = match.span("s") if grouped else (start, match.end())
        if not self._refused(text, begin, end):
            found.append((begin, end, self.id))
            if self.id == "aws-access-key":
                _find_aws_secret(text, begin, end, found)
        return match.end() - begin

    def _refused(self, text: bytes, begin: int, end: int) -> bool:
        body = text[begin:end]
        if is_dummy(body):
            return True
        if self._random:
            tail = body[-40:]  # what joins a prefix to a value says nothing about the value
            if not (is_random(tail, 16) or is_random(tail.rpartition(b"_")[2], 32)):
                return True
        around = text[max(0, begin - _NEAR) : end + _NEAR] if self._near else b""
        return not all(literal in around for literal in self._near)


def _find_aws_secret(text: bytes, begin: int, end: int, found: list[Span]) -> None:
    """Append the 40 characters without a name that occur near an access key id."""
    for match in _AWS_SECRET.finditer(text, max(0, begin - 200), min(len(text), end + 300)):
        value = match[0]
        mixed = digits(value) and lowers(value) and uppers(value)
        if mixed and not is_wordy(value) and entropy(value) > 4 and not _HEX.fullmatch(value):
            found.append((*match.span(), "aws-secret-key"))


@cache
def rule(row: Row) -> Rule:
    return Rule(*row)
