"""Giant strings: what a record of many megabytes holds must not be copied, decoded or parsed whole.

Who needs to know what such a record says reads its `outline`, the same JSON with the giant strings
in it shortened; who needs all of a giant string reads it in `pieces`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LINE = 16 << 20
"""Bytes of a record from which on its strings are looked at for giant ones."""
STRING = 2 << 20
"""Bytes from which on a string of such a record is giant."""
_KEPT = 768 << 10
"""Bytes of its beginning, and of its end, that an outline keeps. Together they are more than any
limit that is set to a file, an output or a state, so that those act as they do on the whole."""
PIECE = 1 << 20
"""Bytes of a giant string that are read at once."""
SHORTEST_PIECE = 64 << 10
"""No piece is shorter, but for a string that is."""

_LEFT, _RIGHT = "\ufdd0", "\ufdd1"
"""Around the number of bytes left out; no text has these two, which stand for no character."""
_MARK = "\ufdd0([0-9]{1,15})\ufdd1"
# As texts, compiled (and kept by `re`) at first use. An unclosed string (a torn line) is matched to
# the end: a giant one is shortened too.
_QUOTED = rb'(?s)"([^"\\]*+(?:\\.[^"\\]*+)*+)"?+'
_ESCAPES = (
    rb"(?s)[^\\]*+(?:\\(?:[^u]|u[dD][89abAB][0-9a-fA-F]{2}"
    rb"(?:\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?=.{6}))|u(?![dD][89abAB])[0-9a-fA-F]{4})[^\\]*+)*+"
)
_CALM = rb"[ !#-\[\]-~]{8}|[^\\](?=\\)"
_NEAR = 4096
_LONGEST_ESCAPE = 12


class Giant:
    """A giant string: the inside of its quotes in the record (`start`, `end`), and where that
    begins in the outline (`place`) and how many bytes it has there (`short`)."""

    __slots__ = ("end", "place", "short", "start")

    def __init__(self, start: int, end: int, place: int, short: int) -> None:
        self.start = start
        self.end = end
        self.place = place
        self.short = short


class Outline:
    """A record with its giant strings shortened."""

    __slots__ = ("data", "giants")

    def __init__(self, data: bytes, giants: tuple[Giant, ...]) -> None:
        self.data = data
        self.giants = giants

    def source(self, place: int) -> int:
        """Where in the record something stands that is in no giant string of the outline."""
        for giant in reversed(self.giants):
            if place >= giant.place + giant.short:
                return giant.end + place - giant.place - giant.short
        return place


def outline(record: bytes) -> Outline | None:
    """None for a record without giant strings, as nearly all are."""
    if len(record) < LINE:
        return None
    parts: list[bytes] = []
    giants: list[Giant] = []
    done = place = 0
    for match in re.finditer(_QUOTED, record):
        start, end = match.span(1)
        if end - start < STRING:
            continue
        short = _shortened(record, start, end)
        parts += (record[done:start], short)
        place += start - done
        giants.append(Giant(start, end, place, len(short)))
        place += len(short)
        done = end
    if not giants:
        return None
    parts.append(record[done:])
    return Outline(b"".join(parts), tuple(giants))


def short(record: bytes) -> bytes:
    """The record, or its outline where it has giant strings: for who asks what it says, not for
    who repeats it."""
    if len(record) < LINE:
        return record
    made = outline(record)
    return record if made is None else made.data


def left_out(text: bytes) -> int:
    """How many bytes more the whole would have than a text that was made from an outline; 0 if it
    is the whole."""
    if text.isascii() or _LEFT.encode() not in text:
        return 0
    return sum(int(mark[1]) - len(mark[0]) for mark in re.finditer(_MARK.encode(), text))


def pieces(record: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A giant string from `start` to `end` in pieces, none of which cuts a character or an
    escape."""
    while end - start > PIECE + SHORTEST_PIECE:
        stop = _border(record, start, start + PIECE)
        yield start, stop
        start = stop
    yield start, end


def plain(raw: bytes, *, strict: bool = False) -> str:
    """What a piece of a JSON string stands for; raises ValueError where it is none."""
    from json.decoder import scanstring  # type: ignore[attr-defined]

    text: str = scanstring(raw.decode("utf-8") + '"', 0, strict)[0]
    return text


def _shortened(record: bytes, start: int, end: int) -> bytes:
    """The beginning and the end of a giant string with the number of bytes between them. Where the
    string is no good JSON, neither is this."""
    head = _calm(record, start, start + _KEPT)
    tail = _calm(record, head, end - _KEPT)
    size = 0
    bad = b""
    for low, high in pieces(record, head, tail):
        try:
            text = plain(record[low:high], strict=True)
            size += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            size, bad = size + high - low, b"\\-"
    mark = f"{_LEFT}{size}{_RIGHT}".encode() + bad
    return b"".join((record[start:head], mark, record[tail:end]))


def _calm(record: bytes, start: int, at: int) -> int:
    """A place near `at` where even a string of JSON in this string can be cut: behind some plain
    characters, or before the first backslash of several."""
    match = re.compile(_CALM).search(record, max(start, at - _NEAR), at)
    if match is not None:
        return match.end()
    while start + PIECE < at:  # an escape is told from its beginning only
        start = _border(record, start, start + PIECE)
    return _border(record, start, at)


def _border(record: bytes, start: int, at: int) -> int:
    """The last place up to `at` that cuts neither a character nor an escape; `start` is one."""
    match = re.compile(_ESCAPES).match(record, start, at)
    stop = match.end() if match is not None else at
    if at - stop > _LONGEST_ESCAPE:
        stop = at  # no JSON: then anywhere
    for back in range(min(4, stop - start)):
        if record[stop - back] & 0xC0 != 0x80:
            return stop - back
    return stop
