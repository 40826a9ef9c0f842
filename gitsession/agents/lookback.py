"""Looks back into the part of a session file that is not being read, to find a record.

Rarely needed (for a prompt that does not continue the newest record), so nothing is kept in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession.files import regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import BinaryIO

_CHUNK = 1 << 20
_LEAD = 64


class Past:
    """The bytes of `path` before a position; an unreadable file contains nothing.

    `field` is the member that names a record.
    """

    def __init__(self, path: str | PathLike[str], field: str = "uuid") -> None:
        self._path = path
        self._field = rb'"' + field.encode() + rb'"\s*:\s*\Z'

    def position(self, name: str, before: int) -> int:
        """Return where `"<field>":"<name>"` occurs in the first `before` bytes; -1 if nowhere.

        Searches from the end: users rarely go back far.
        """
        needle = b'"' + name.encode("utf-8", "replace") + b'"'
        at, later = before, b""
        try:
            with open(self._path, "rb", opener=regular) as stream:
                while name and at > 0:
                    size = min(_CHUNK, at)
                    at -= size
                    stream.seek(at)
                    data = stream.read(size) + later
                    found = self._find(data, needle, 0 if at == 0 else _LEAD)
                    if found >= 0:
                        return at + found
                    later = data[: len(needle) + _LEAD]
        except OSError:
            return -1
        return -1

    def _find(self, data: bytes, needle: bytes, start: int) -> int:
        """Return the first position from `start` on where the needle is the field's value."""
        found, field = data.find(needle, start), re.compile(self._field)
        while found >= 0 and not field.search(data, max(0, found - _LEAD), found):
            found = data.find(needle, found + 1)
        return found


def lines_backward(path: str | PathLike[str], end: int, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines between two byte positions, last one first, each with its start.

    Only lines that begin at `start` or later; the one that ends at `end` needs no line end. An
    unreadable file has none.
    """
    rest = b""
    try:
        with open(path, "rb", opener=regular) as stream:
            while end > start:
                size = min(_CHUNK, end - start)
                end -= size
                stream.seek(end)
                data = stream.read(size) + rest
                at = len(data)
                while (cut := data.rfind(b"\n", 0, at - 1)) >= 0:
                    yield end + cut + 1, data[cut + 1 : at]
                    at = cut + 1
                rest = data[:at]
            if rest and (start == 0 or _begins_line(stream, start)):
                yield start, rest
    except OSError:
        return


def _begins_line(stream: BinaryIO, start: int) -> bool:
    stream.seek(start - 1)
    return stream.read(1) == b"\n"
