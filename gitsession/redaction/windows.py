"""Scanning a giant string piece by piece, each with the end of the previous and the start of the
next, so that whatever a border between two pieces cuts is seen whole from both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gitsession.giants import pieces, plain
from gitsession.redaction.patterns import Span
from gitsession.redaction.placeholders import UNSCANNED
from gitsession.redaction.spans import generality
from gitsession.redaction.views import json_literal

EDGE = 32 << 10
"""Bytes of each neighbour that are scanned with a piece: more than any secret together with what
announces it, except for encoded runs."""
_ALIGNED = 256
"""A run of base64 is entered at a multiple of this, which also aligns data encoded three times."""
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_PACKED = b"H4sI"
"""gzip in base64, which cannot be decoded from its middle."""


class Window:
    """A part of a string: its span in the record, whether it is JSON-escaped (otherwise raw), the
    `number` of the string in its document; a finding also has a `rule`."""

    __slots__ = ("end", "is_json", "number", "rule", "start")

    def __init__(self, start: int, end: int, is_json: bool, number: int, rule: str = "") -> None:
        self.start = start
        self.end = end
        self.is_json = is_json
        self.number = number
        self.rule = rule

    def text(self, data: bytes) -> bytes:
        raw = data[self.start : self.end]
        if not self.is_json:
            return raw
        try:
            return plain(raw).encode()
        except ValueError:  # lone surrogates, or bytes that are not UTF-8
            return json_literal(raw).text


def windows(data: bytes, start: int, end: int, is_json: bool, number: int) -> Iterator[Window]:
    for low, high in pieces(data, start, end):
        yield Window(low, high, is_json, number)


def scanned(
    texts: Iterable[bytes], find: Callable[[bytes], list[Span]], look_inside: bool
) -> Iterator[tuple[int, Span]]:
    """Yield (number of the piece, span of its text) for everything that `find` finds. A finding
    that crosses a border is yielded in parts, one per piece. `look_inside` says that `find` decodes
    encodings."""
    waiting = iter(texts)
    text, after = next(waiting, b""), next(waiting, None)
    before, last, number = b"", 0, 0
    run = _Run()
    while True:
        window = b"".join((before, text, (after or b"")[:EDGE]))
        for start, end, rule in find(window):
            start, end = start - len(before), end - len(before)
            if end <= 0 or start >= len(text):
                continue  # the neighbour sees it better
            if end - start > EDGE // 2:
                start, end = max(start, 0), min(end, len(text))
            if start < 0:
                yield number - 1, (last + start, last, rule)
            yield number, (max(start, 0), min(end, len(text)), rule)
            if end > len(text):
                yield number + 1, (0, end - len(text), rule)
        if look_inside:
            yield from ((number, span) for span in run.packed(text, after or b""))
        if after is None:
            return
        before, last, number = text[-run.reach(text) :], len(text), number + 1
        text, after = after, next(waiting, None)


class _Run:
    """The run of base64 at the end of a piece; it may have begun many pieces earlier."""

    def __init__(self) -> None:
        self._size = 0
        self._is_packed = False

    def reach(self, text: bytes) -> int:
        """How many bytes of this piece are scanned together with the next one."""
        tail = _tail(text)
        self._size = tail + (self._size if tail == len(text) else 0)
        return EDGE if self._size < EDGE else EDGE + (self._size - EDGE) % _ALIGNED

    def packed(self, text: bytes, after: bytes) -> Iterator[Span]:
        """Yield spans of this piece that are packed and longer than what is read at a time."""
        lead = 0
        if self._is_packed:
            lead = len(text) - len(text.lstrip(_BASE64))
            self._is_packed = lead == len(text)
            yield 0, lead, UNSCANNED
        start = len(text) - _tail(text)
        if lead <= start < len(text) and (text[start:] + after[:4])[:4] == _PACKED:
            more = after[:EDGE]
            more_of_it = len(more) - len(more.lstrip(_BASE64))
            if len(text) - start + more_of_it > EDGE:
                self._is_packed = more_of_it > 0
                yield start, len(text), UNSCANNED


def _tail(text: bytes) -> int:
    return len(text) - len(text.rstrip(_BASE64))


def places_of(data: bytes, found: Iterable[tuple[Window, list[Span]]]) -> list[Window]:
    """Map findings in the texts of windows, in order, to spans of the record; one that a border cut
    is joined again."""
    made: list[Window] = []
    for window, spans in found:
        raw = data[window.start : window.end]
        view = json_literal(raw) if window.is_json else None
        for span in spans:
            low, high = view.source(*span[:2]) if view is not None else span[:2]
            start, end, rule = window.start + low, window.start + high, span[2]
            before = made[-1] if made else None
            if before is not None and before.end == start == window.start:
                before.end = end
                before.rule = min(before.rule, rule, key=generality)
            else:
                made.append(Window(start, end, window.is_json, window.number, rule))
    return made
