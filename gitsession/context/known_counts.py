"""Counts of tokens that outlive the process, by keyed hash of the text: rows of one size in a file.

It is derived: gone, cut short or damaged it costs time and nothing else, for a hash that no text
has matches nothing.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from gitsession.files import BINARY, make_private

_HEAD = b"gitsession tokens 1\n"
_ROW = struct.Struct(">16sI")
MOST = 400_000
"""Rows; a file that has more begins anew."""


class KnownCounts:
    """The file at `path`; hashes are keyed, so that it says nothing of any text."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path = path
        self._key = key[:64]

    def name(self, text: str) -> bytes:
        """What a text is known by."""
        data = text.encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=16, key=self._key).digest()

    def read(self) -> dict[bytes, int]:
        """All counts; none where the file cannot be read or is another one."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return {}
        if not data.startswith(_HEAD):
            return {}
        body = data[len(_HEAD) :]
        return dict(_ROW.iter_unpack(body[: len(body) - len(body) % _ROW.size]))

    def add(self, counts: Mapping[bytes, int]) -> None:
        """Write counts behind the others, in one piece; what cannot be written is not missed."""
        rows = b"".join(_ROW.pack(name, count) for name, count in counts.items())
        try:
            make_private(self._path.parent)
            size = self._path.stat().st_size if self._path.exists() else 0
            again = size % _ROW.size or size > MOST * _ROW.size
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | BINARY | (os.O_TRUNC if again else 0)
            file = os.open(self._path, flags, 0o600)
            try:
                os.write(file, rows if size and not again else _HEAD + rows)
            finally:
                os.close(file)
        except OSError:
            return
