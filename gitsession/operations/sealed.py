"""A folder of derived files, bounded in size, each with a mark that only the user's key makes: what
is missing, damaged or of somebody else is not there."""

from __future__ import annotations

import contextlib
import os
from hashlib import blake2b
from pathlib import Path

from gitsession.digests import keyed
from gitsession.files import forget, is_regular, make_private, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = b"gitsession sealed 1\n"
_MARK = 32
LARGEST = 64 << 20
MOST = 192 << 20
"""Bytes of one file, and of all of them: what was used longest ago goes first."""


class Sealed:
    """The files of one folder; their names are keyed hashes, too."""

    def __init__(self, folder: Path, key: bytes, most: int = MOST) -> None:
        self._folder = folder
        self._key = keyed(key, b"sealed files of a cache")
        self._most = most

    def read(self, name: str) -> bytes | None:
        """What was written by that name."""
        path = self._path(name)
        try:
            fits = is_regular(path) and path.stat().st_size <= LARGEST
            data = path.read_bytes() if fits else b""
        except OSError:
            return None
        if not data.startswith(_HEAD):
            return None
        mark, body = data[len(_HEAD) : len(_HEAD) + _MARK], data[len(_HEAD) + _MARK :]
        if self._mark(name, body) != mark:
            return None
        with contextlib.suppress(OSError):  # else it looks older than it is
            os.utime(path)
        return body

    def write(self, name: str, data: bytes) -> None:
        """Keep it, as far as that is possible; the oldest others make room."""
        mark = self._mark(name, data)
        if len(data) > LARGEST - len(_HEAD) - _MARK:
            return
        try:
            make_private(self._folder)
            replace(self._path(name), b"".join((_HEAD, mark, data)))
        except OSError:
            return
        left = self._most
        for _, size, path in sorted(self._files(), reverse=True):
            left -= size
            if left < 0:
                forget(path)

    def forget_all(self) -> None:
        """For what takes something away for ever."""
        for _, _, path in self._files():
            forget(path)

    def _path(self, name: str) -> Path:
        return self._folder / keyed(self._key, name.encode("utf-8", "surrogatepass")).hex()[:32]

    def _mark(self, name: str, data: bytes) -> bytes:
        """Says that these bytes are those of that name."""
        found = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_MARK, key=self._key)
        found.update(b"\0")
        found.update(data)
        return found.digest()

    def _files(self) -> Iterator[tuple[float, int, str]]:
        """When each was used last, its size, its path."""
        try:
            with os.scandir(self._folder) as found:
                for one in found:
                    if one.is_file(follow_symlinks=False):
                        told = one.stat(follow_symlinks=False)
                        yield told.st_mtime, told.st_size, one.path
        except OSError:
            return
