"""Bulk writing: many objects in one pack with its index, safe from a gc until refs name it.

To `git gc`, a pack that no ref names yet looks like garbage; its `.keep` file, created first, says
otherwise. It is removed once the refs have moved.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from itertools import chain

from gitsession.files import forget, sync
from gitsession.store.objects import damaged, object_id, unwritable
from gitsession.store.packindex import index_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsession.model.encoded import Data

_LEVEL = 6
"""A repack copies compressed bytes unchanged, so they are compressed well here."""
_QUICK = 1
"""For trees: they consist of ids, which do not compress, until a repack stores them as deltas."""
_AT_ONCE = 1 << 20
"""Bytes that are compressed at a time."""
NUMBERS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
KINDS = {number: kind for kind, number in NUMBERS.items()}
KEEP = b"gitsession bulk save\n"
"""The first line of a `.keep` of ours; the owner is in the next line."""


class PackFile:
    """A pack being written: `put` adds an object, `finish` puts the pack in place. `owner` marks
    what a kill leaves behind (see `presence`)."""

    def __init__(self, folder: str, owner: str = "") -> None:
        self._folder = f"{folder}/objects/pack"
        self._owner = owner or str(os.getpid())
        self._path = f"{self._folder}/tmp_pack_{self._owner}_{os.urandom(6).hex()}"  # noqa: S108
        self._places: dict[str, tuple[int, int]] = {}
        self._size = 12
        self._at_end = True
        try:
            self._stream = open(self._path, "x+b", buffering=1 << 20)  # noqa: SIM115
            os.chmod(self._path, 0o600)
            self._stream.write(b"PACK" + struct.pack(">II", 2, 0))
        except OSError as error:
            raise unwritable(error) from error

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, identity: str) -> bool:
        return identity in self._places

    def ids(self) -> tuple[str, ...]:
        return tuple(self._places)

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._size

    def put(self, kind: str, data: Data) -> str:
        identity = object_id(kind, data)
        if identity not in self._places:
            self.write(identity, kind, data)
        return identity

    def write(self, identity: str, kind: str, data: Data) -> None:
        start = self._size
        checksum = 0
        try:
            if not self._at_end:  # seeking flushes, even to the current position
                self._stream.seek(start)
                self._at_end = True
            for part in _entry(kind, data):
                self._stream.write(part)
                checksum = zlib.crc32(part, checksum)
                self._size += len(part)
        except OSError as error:
            self._size, self._at_end = start, False
            raise unwritable(error) from error
        self._places[identity] = (start, checksum)

    def read(self, identity: str) -> tuple[str, bytes] | None:
        """Return (kind, content) of an object in this pack, which nobody else can see yet."""
        place = self._places.get(identity)
        if place is None:
            return None
        self._at_end = False
        self._stream.seek(place[0])
        head = self._stream.read(16)
        number, skip = _parse_head(head)
        unpacker = zlib.decompressobj()
        data = [unpacker.decompress(head[skip:])]
        while not unpacker.eof:
            chunk = self._stream.read(1 << 16)
            if not chunk:
                raise damaged(identity)
            data.append(unpacker.decompress(chunk))
        return KINDS[number], b"".join(data)

    def leave_to_fork(self) -> int:
        """Prepare for a fork that continues writing: flush, so that nothing buffered is written
        twice. Returns the descriptor that the fork must keep."""
        self._stream.flush()
        return self._stream.fileno()

    def close(self) -> None:
        """Close the file after leaving the writing to a fork; only the file names remain here."""
        self._stream.close()

    def finish(self) -> str:
        """Put pack and index in place; return the path of their `.keep` ("" if empty)."""
        if not self._places:
            self.abandon()
            return ""
        try:
            return self._finish()
        except OSError as error:
            self.abandon()
            raise unwritable(error) from error

    def abandon(self) -> None:
        try:  # noqa: SIM105 - contextlib costs start-up
            self._stream.close()
        except OSError:
            pass  # the disk is full: what could not be written is no longer needed
        for path in (self._path, self._path + ".idx", self._path + ".keep"):
            forget(path)

    def _finish(self) -> str:
        checksum = self._seal()
        index = index_bytes(self._places, checksum)
        with open(self._path + ".idx", "xb") as stream:
            os.chmod(self._path + ".idx", 0o400)
            stream.write(index)
            stream.flush()
            sync(stream.fileno())
        name = f"{self._folder}/pack-{checksum.hex()}"
        keep = f"{name}.keep"
        # Renamed too: a kill would leave an empty one, indistinguishable from a user's own.
        with open(self._path + ".keep", "xb") as stream:
            os.chmod(self._path + ".keep", 0o600)
            stream.write(KEEP + self._owner.encode() + b"\n")
            stream.flush()
            sync(stream.fileno())
        os.rename(self._path + ".keep", keep)
        os.rename(self._path, f"{name}.pack")
        os.rename(self._path + ".idx", f"{name}.idx")
        return keep

    def _seal(self) -> bytes:
        """Write the number of objects, known only now, and the checksum of the whole file."""
        stream = self._stream
        stream.seek(8)
        stream.write(struct.pack(">I", len(self._places)))
        stream.flush()
        stream.seek(0)
        digest = hashlib.sha1(usedforsecurity=False)
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
        checksum = digest.digest()
        stream.write(checksum)
        stream.flush()
        sync(stream.fileno())
        os.chmod(self._path, 0o400)
        stream.close()
        return checksum


def _entry(kind: str, data: Data) -> Iterable[bytes]:
    """An object as stored in a pack; a large one in parts, to hold it in memory only once."""
    level = _QUICK if kind == "tree" else _LEVEL
    head = _entry_head(NUMBERS[kind], len(data))
    if len(data) <= _AT_ONCE:
        return (head + zlib.compress(data, level),)
    return chain((head,), _in_parts(data, level))


def _in_parts(data: Data, level: int) -> Iterator[bytes]:
    packer = zlib.compressobj(level)
    for start in range(0, len(data), _AT_ONCE):
        yield packer.compress(memoryview(data)[start : start + _AT_ONCE])
    yield packer.flush()


def _entry_head(number: int, size: int) -> bytes:
    """Kind and size in git's pack encoding: four bits of the size, then seven more per byte."""
    byte = number << 4 | size & 15
    size >>= 4
    head = bytearray()
    while size:
        head.append(byte | 128)
        byte = size & 127
        size >>= 7
    head.append(byte)
    return bytes(head)


def _parse_head(head: bytes) -> tuple[int, int]:
    """Return the number of the kind, and where the compressed bytes start."""
    position = 1
    while head[position - 1] & 128:
        position += 1
    return head[0] >> 4 & 7, position
