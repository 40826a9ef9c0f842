"""Looks back into the part of a session file that is not being read: where a record stands.

Needed rarely (a prompt that does not continue the newest record), so nothing is kept in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 20


class Past:
    """The bytes of `path` before a position. An unreadable file knows nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def position(self, name: str, before: int) -> int:
        """Where the field `"uuid":"<name>"` stands in the first `before` bytes; -1 if nowhere."""
        if not name:
            return -1
        pattern = re.compile(rb'"uuid"\s*:\s*"' + re.escape(name.encode("utf-8", "replace")) + b'"')
        overlap = len(name) * 4 + 64
        at, tail = 0, b""
        try:
            with open(self._path, "rb") as stream:
                while at < before:
                    chunk = stream.read(min(_CHUNK, before - at))
                    if not chunk:
                        return -1
                    data = tail + chunk
                    found = pattern.search(data)
                    if found:
                        return at - len(tail) + found.start()
                    at += len(chunk)
                    tail = data[-overlap:]
        except OSError:
            return -1
        return -1


def lines_backward(path: Path, end: int, start: int) -> Iterator[tuple[int, bytes]]:
    """The lines between two byte positions from the last to the first, with where each begins.

    Only lines that begin at `start` or later; the one that ends at `end` needs no line end.
    An unreadable file has none.
    """
    rest = b""
    try:
        with open(path, "rb") as stream:
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
