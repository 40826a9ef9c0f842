"""The index of a pack (version 2): making one, and asking those of a store for an id."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping

_MAGIC = b"\377tOc\0\0\0\2"


def index_bytes(places: Mapping[str, tuple[int, int]], checksum: bytes) -> bytes:
    """An index file for `places` (id to offset and CRC-32). Packs here stay far below 2 GiB, so
    the table of long offsets is never needed."""
    ordered = sorted(places)
    counts = [0] * 256
    for identity in ordered:
        counts[int(identity[:2], 16)] += 1
    total = 0
    fan_out = []
    for count in counts:
        total += count
        fan_out.append(total)
    import hashlib
    import struct

    body = b"".join(
        (
            _MAGIC,
            struct.pack(">256I", *fan_out),
            bytes.fromhex("".join(ordered)),
            struct.pack(f">{total}I", *(places[identity][1] for identity in ordered)),
            struct.pack(f">{total}I", *(places[identity][0] for identity in ordered)),
            checksum,
        )
    )
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


class PackedIds:
    """Which ids the packs of a store hold, read from their indexes; nothing is unpacked.

    The list of packs is taken once: a pack that comes later is not seen, one that a repack has
    merged away is still remembered, and its objects live on in the merged one.
    """

    def __init__(self, folder: str) -> None:
        self._folder = f"{folder}/objects/pack"
        self._indexes: list[tuple[str, mmap.mmap]] | None = None

    def touch(self, identity: str) -> bool:
        """Whether a pack holds it; the time of that pack is renewed, as git does."""
        for pack, index in self._load():
            if _contains(index, bytes.fromhex(identity)):
                try:
                    os.utime(pack)
                except OSError:
                    continue
                return True
        return False

    def beginning_with(self, prefix: str) -> set[str]:
        """Ids of packed objects that begin with these hex digits."""
        found: set[str] = set()
        low = bytes.fromhex(prefix.ljust(40, "0"))
        for _, index in self._load():
            place = _place(index, low)
            while (identity := _identity(index, place).hex()) and identity.startswith(prefix):
                found.add(identity)
                place += 1
        return found

    def _load(self) -> list[tuple[str, mmap.mmap]]:
        if self._indexes is None:
            self._indexes = []
            for name in _names(self._folder):
                index = _map(f"{self._folder}/{name}")
                if index is not None:
                    self._indexes.append((f"{self._folder}/{name[:-4]}.pack", index))
        return self._indexes


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".idx"))
    except OSError:
        return []


def _map(path: str) -> mmap.mmap | None:
    """The file mapped, so that a question costs a few pages however large the store is."""
    try:
        with open(path, "rb") as stream:
            index = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    if index[:8] == _MAGIC and len(index) >= 8 + 1024 + 40:
        return index
    index.close()
    return None


def _count(index: mmap.mmap, first: int) -> int:
    """How many ids begin with a byte up to and including `first`."""
    start = 8 + 4 * first
    return int.from_bytes(index[start : start + 4], "big") if first >= 0 else 0


def _identity(index: mmap.mmap, place: int) -> bytes:
    if place >= _count(index, 255):
        return b""
    start = 8 + 1024 + 20 * place
    return index[start : start + 20]


def _place(index: mmap.mmap, identity: bytes) -> int:
    """Where `identity` stands in the sorted ids, or would stand."""
    low, high = _count(index, identity[0] - 1), _count(index, identity[0])
    while low < high:
        middle = (low + high) // 2
        if _identity(index, middle) < identity:
            low = middle + 1
        else:
            high = middle
    return low


def _contains(index: mmap.mmap, identity: bytes) -> bool:
    return _identity(index, _place(index, identity)) == identity


def ids_with_prefix(folder: str, prefix: str) -> list[str]:
    """Ids of all objects of a store, loose or packed, that begin with two or more hex digits."""
    found = PackedIds(folder).beginning_with(prefix)
    try:
        rest = os.listdir(f"{folder}/objects/{prefix[:2]}")
    except OSError:
        rest = []
    loose = {prefix[:2] + name for name in rest if len(name) == 38}
    return sorted(found | {identity for identity in loose if identity.startswith(prefix)})


def ids_of(path: str) -> list[str]:
    """Every id in one index, [] for a file that is none."""
    index = _map(path)
    if index is None:
        return []
    return [_identity(index, place).hex() for place in range(_count(index, 255))]
