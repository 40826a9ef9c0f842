"""A folder of derived files, bounded in size, each authenticated with the user's key: a file that
is missing, damaged or made by somebody else counts as absent."""

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
"""Limits in bytes for one file and for all files; the least recently used file is deleted first."""


class Sealed:
    """The files of one folder; their names are keyed hashes too."""

    def __init__(self, folder: Path, key: bytes, most: int = MOST) -> None:
        self._folder = folder
        self._key = keyed(key, b"sealed files of a cache")
        self._most = most

    def read(self, name: str) -> bytes | None:
        """Return what was written under that name, None if it is absent."""
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
        with contextlib.suppress(OSError):  # failure only makes it look older
            os.utime(path)
        return body

    def write(self, name: str, data: bytes) -> None:
        """Store the data if possible; the least recently used files make room."""
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
        """Delete all files; called by whatever removes something from the store for good."""
        for _, _, path in self._files():
            forget(path)

    def _path(self, name: str) -> Path:
        return self._folder / keyed(self._key, name.encode("utf-8", "surrogatepass")).hex()[:32]

    def _mark(self, name: str, data: bytes) -> bytes:
        """Return the mark that certifies these bytes for that name."""
        found = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_MARK, key=self._key)
        found.update(b"\0")
        found.update(data)
        return found.digest()

    def _files(self) -> Iterator[tuple[float, int, str]]:
        """Yield when each file was last used, its size, and its path."""
        try:
            with os.scandir(self._folder) as found:
                for one in found:
                    if one.is_file(follow_symlinks=False):
                        told = one.stat(follow_symlinks=False)
                        yield told.st_mtime, told.st_size, one.path
        except OSError:
            return
