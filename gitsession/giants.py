"""Giant strings: a record of many megabytes must not be copied, decoded or parsed as a whole.

Code that needs to know what such a record says reads its `outline`: the same JSON with the giant
strings shortened. Code that needs all of a giant string reads it in `pieces`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LINE = 16 << 20
"""Bytes from which on a record is searched for giant strings."""
STRING = 2 << 20
"""Bytes from which on a string in such a record is giant."""
_KEPT = 768 << 10
"""Bytes that an outline keeps of the beginning of a giant string, and again of its end. Together
they exceed every limit on a file, an output or a state, so those limits act as on the whole string.
"""
PIECE = 1 << 20
"""Bytes of a giant string that are read at a time."""
SHORTEST_PIECE = 64 << 10
"""No piece is shorter, unless the whole string is."""

_LEFT, _RIGHT = "\ufdd0", "\ufdd1"
"""Enclose the number of bytes left out. No text contains these two: they are noncharacters."""
_MARK = "\ufdd0([0-9]{1,15})\ufdd1"
# Kept as strings; `re` compiles (and caches) them on first use. An unclosed string (a torn line)
# matches up to the end, so that a giant one is shortened too.
_QUOTED = rb'(?s)"([^"\\]*+(?:\\.[^"\\]*+)*+)"?+'
_ESCAPES = (
    rb"(?s)[^\\]*+(?:\\(?:[^u]|u[dD][89abAB][0-9a-fA-F]{2}"
    rb"(?:\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?=.{6}))|u(?![dD][89abAB])[0-9a-fA-F]{4})[^\\]*+)*+"
)
_CALM = rb"[ !#-\[\]-~]{8}|[^\\](?=\\)"
_NEAR = 4096
_LONGEST_ESCAPE = 12


class Giant:
    """A giant string: its span in the record without the quotes (`start`, `end`), and where it
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
        """Map a place in the outline, outside of all giant strings, to its place in the record."""
        for giant in reversed(self.giants):
            if place >= giant.place + giant.short:
                return giant.end + place - giant.place - giant.short
        return place


def outline(record: bytes) -> Outline | None:
    """Return the outline of a record; None if it has no giant strings, like nearly all records."""
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
    """Return the record, or its outline if it has giant strings: for code that asks what it says,
    not for code that reproduces it."""
    if len(record) < LINE:
        return record
    made = outline(record)
    return record if made is None else made.data


def left_out(text: bytes) -> int:
    """How many bytes longer the whole is than a text from an outline; 0 if it is the whole."""
    if text.isascii() or _LEFT.encode() not in text:
        return 0
    return sum(int(mark[1]) - len(mark[0]) for mark in re.finditer(_MARK.encode(), text))


def pieces(record: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) pieces of a giant string that cut no character or escape."""
    while end - start > PIECE + SHORTEST_PIECE:
        stop = _border(record, start, start + PIECE)
        yield start, stop
        start = stop
    yield start, end


def plain(raw: bytes, *, strict: bool = False) -> str:
    """Decode a piece of a JSON string. Raises ValueError if it is not one."""
    from json.decoder import scanstring  # type: ignore[attr-defined]

    text: str = scanstring(raw.decode("utf-8") + '"', 0, strict)[0]
    return text


def _shortened(record: bytes, start: int, end: int) -> bytes:
    """The beginning and the end of a giant string around the number of bytes left out. If the
    string is invalid JSON, so is the result."""
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
    """A place near `at` where even a JSON string nested in this string can be cut: after some plain
    characters, or before the first of several backslashes."""
    match = re.compile(_CALM).search(record, max(start, at - _NEAR), at)
    if match is not None:
        return match.end()
    while start + PIECE < at:  # an escape is recognized only from its beginning
        start = _border(record, start, start + PIECE)
    return _border(record, start, at)


def _border(record: bytes, start: int, at: int) -> int:
    """The last place up to `at` that cuts no character or escape; `start` is such a place."""
    match = re.compile(_ESCAPES).match(record, start, at)
    stop = match.end() if match is not None else at
    if at - stop > _LONGEST_ESCAPE:
        stop = at  # invalid JSON: cut anywhere
    for back in range(min(4, stop - start)):
        if record[stop - back] & 0xC0 != 0x80:
            return stop - back
    return stop
