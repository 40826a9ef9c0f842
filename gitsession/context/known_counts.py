"""Token counts that outlive the process, by keyed hash of the text: fixed-size rows in a file.

The file is derived: if it is deleted, truncated or damaged, that costs only time, since a hash that
no text has matches nothing.
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
"""The most rows; a file that has more is started over."""


class KnownCounts:
    """The file at `path`; its hashes are keyed, so that it reveals nothing about any text."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path = path
        self._key = key[:64]

    def name(self, text: str) -> bytes:
        """Return the keyed hash that identifies a text."""
        data = text.encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=16, key=self._key).digest()

    def read(self) -> dict[bytes, int]:
        """Return all counts; none if the file cannot be read or is of another kind."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return {}
        if not data.startswith(_HEAD):
            return {}
        body = data[len(_HEAD) :]
        return dict(_ROW.iter_unpack(body[: len(body) - len(body) % _ROW.size]))

    def add(self, counts: Mapping[bytes, int]) -> None:
        """Append counts in a single write; failures to write are ignored."""
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
