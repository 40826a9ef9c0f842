"""Anchored rules: one token form of one vendor each, compiled when its anchor is met."""

from __future__ import annotations

from gitsession.redaction.compiled import RULES
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import (
    ALNUM,
    digits,
    entropy,
    is_dummy,
    is_filler,
    is_random,
    is_wordy,
    lowers,
    uppers,
)
from gitsession.redaction.wraps import at_line_end, continuation, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsession.redaction.settings import Row

_WRAPPED = Lazy(rb"[A-Za-z0-9_+/=.:~-]{6,250}\r?\n")
_NEAR = 400
_AWS_SECRET = Lazy(rb"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_HEX = Lazy(rb"[0-9a-f]+")


class Rule:
    """A row of rules.yaml, ready to be tried at a hit of one of its anchors."""

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

    def find(self, text: bytes, anchor: int, found: list[Span]) -> None:
        """Adds the token whose anchor stands at `anchor`, if it is one."""
        start = anchor - self._back
        at = start
        if self._before:
            head = self._before.search(text, max(0, start), anchor)
            if not head:
                return
            start, at = head.start(), anchor
        if start < 0 or (self._boundary and start > 0 and text[start - 1] in ALNUM):
            return
        match = self._pattern.match(text, at)
        if match is None:
            self._find_wrapped(text, start, found)
            return
        grouped = "s" in match.re.groupindex
        begin, end = match.span("s") if grouped else (start, match.end())
        if self._refused(text, begin, end):
            return
        found.append((begin, self._with_next_line(text, end), self.id))
        if self.id == "aws-access-key":
            _find_aws_secret(text, begin, end, found)

    def _refused(self, text: bytes, begin: int, end: int) -> bool:
        body = text[begin:end]
        if is_dummy(body):
            return True
        if self._random and not is_random(body[-40:], 16):
            return True
        around = text[max(0, begin - _NEAR) : end + _NEAR] if self._near else b""
        return not all(literal in around for literal in self._near)

    def _with_next_line(self, text: bytes, end: int) -> int:
        """A token that ends with its line may go on bare on the next one."""
        if not at_line_end(text, end):
            return end
        line = end - (text.rfind(b"\n", max(0, end - 300), end) + 1)
        if line < 60 and not self._pattern.source.endswith(b",}"):
            return end
        return continuation(text, end)

    def _find_wrapped(self, text: bytes, start: int, found: list[Span]) -> None:
        """The anchor stands there but the line ends too early."""
        if not _WRAPPED.match(text, start):
            return
        joined = join(text, start)
        match = self._pattern.match(joined.text) if joined else None
        if not joined or not match or is_filler(match[0]) or not is_random(match[0][-30:], 16):
            return
        offset = match.start("s") if "s" in match.re.groupindex else 0
        found.append((joined.source(offset), joined.source(match.end() - 1) + 1, self.id))


def _find_aws_secret(text: bytes, begin: int, end: int, found: list[Span]) -> None:
    """The 40 characters without a name that stand near an access key id."""
    for match in _AWS_SECRET.finditer(text, max(0, begin - 200), min(len(text), end + 300)):
        value = match[0]
        mixed = digits(value) and lowers(value) and uppers(value)
        if mixed and not is_wordy(value) and entropy(value) > 4 and not _HEX.fullmatch(value):
            found.append((*match.span(), "aws-secret-key"))


def rules(rows: Iterable[Row] = RULES) -> list[Rule]:
    return [Rule(*row) for row in rows]
