"""Pack indexes (version 2): writing one, and looking up ids in all those of a store."""

from __future__ import annotations

import mmap
import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping

_MAGIC = b"\377tOc\0\0\0\2"
_ID, _ROW = 20, 24
"""Bytes of an id, and of a row: an id with the number of its pack."""
_IDS = 8 + 1024
"""Where the ids of an index begin."""
_MAPPED = 64
"""How many indexes are kept open: processes have a limit, and a store may have more. Of the others
only the ids are read."""
_FEW = 100
"""Up to this many ids with the same first byte are searched linearly in one call, which is quicker
than several bisection steps."""
_WORTH = 64
"""Searches in single indexes after which those of one first byte are merged."""
_LARGER = 8
"""A run of ids is left alone until the ids added after it reach an eighth of its size: so each id
is sorted only a few times, and few runs need searching."""


TYPE_CHECKING = False
if TYPE_CHECKING:
    Index = mmap.mmap | bytes
    # Mapped, or a copy of its part with the ids.


def index_bytes(places: Mapping[str, tuple[int, int]], checksum: bytes) -> bytes:
    """Build an index file from `places` (id to offset and CRC-32). Packs written here stay far
    below 2 GiB, so the table of long offsets is never needed."""
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

    The list of packs is read on first use and by `refresh`. A pack added later is not seen; one
    that a repack has merged away is still remembered, and its objects live on in the merged pack. A
    few lookups are answered by searching each index; many, as in an import into a store with
    hundreds of packs, from the merged ids of all indexes.
    """

    def __init__(self, folder: str) -> None:
        self._folder = f"{folder}/objects/pack"
        self._names: set[str] | None = None
        self._indexes: list[Index] = []
        self._paths: list[str] = []
        self._shelves: dict[int, _Shelf] = {}

    def refresh(self) -> None:
        """Pick up packs added since; if some were removed, start over."""
        if self._names is None:
            return
        names = _names(self._folder)
        if self._names <= set(names):
            self._add([name for name in names if name not in self._names])
        else:
            self._names = None

    def touch(self, identity: str) -> bool:
        """Whether a pack holds it. Renews the time of that pack, as git does."""
        indexes = self._load()
        if not indexes:
            return False
        wanted = bytes.fromhex(identity)
        shelf = self._shelves.get(wanted[0])
        if shelf is None:
            shelf = self._shelves[wanted[0]] = _Shelf(wanted[0])
        for number in shelf.holders(wanted, indexes):
            try:
                os.utime(self._paths[number])
            except OSError:
                continue
            return True
        return False

    def beginning_with(self, prefix: str) -> set[str]:
        """Ids of packed objects that begin with these hex digits (at least two)."""
        first = bytes.fromhex(prefix[:2])[0]
        found = (row.hex() for index in self._load() for row in _rows(_ids(index, first), _ID))
        return {identity for identity in found if identity.startswith(prefix)}

    def _load(self) -> list[Index]:
        if self._names is None:
            self._names, self._indexes, self._paths, self._shelves = set(), [], [], {}
            self._add(_names(self._folder))
        return self._indexes

    def _add(self, names: list[str]) -> None:
        assert self._names is not None
        self._names.update(names)
        for name in names:
            path = f"{self._folder}/{name}"
            index = _map(path)
            if index is None:
                continue
            self._indexes.append(index if len(self._indexes) < _MAPPED else _copied(index))
            self._paths.append(f"{path[:-4]}.pack")


class _Shelf:
    """The ids that begin with one byte: runs of sorted rows, each from one or more packs."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._runs: list[bytes] = []
        self._merged = 0
        self._searches = 0

    def holders(self, identity: bytes, indexes: list[Index]) -> list[int]:
        """The positions in `indexes` of those that contain the id."""
        self._searches += len(indexes) - self._merged
        if self._searches > _WORTH:
            self._merge(indexes)
        found = [number for run in self._runs for number in _numbers(run, identity)]
        rest = range(self._merged, len(indexes))
        return found + [number for number in rest if _contains(indexes[number], identity)]

    def _merge(self, indexes: list[Index]) -> None:
        rows = []
        for number in range(self._merged, len(indexes)):
            mark = number.to_bytes(_ROW - _ID, "big")
            rows += [row + mark for row in _rows(_ids(indexes[number], self._first), _ID)]
        while self._runs and len(self._runs[-1]) < _LARGER * _ROW * len(rows):
            rows += _rows(self._runs.pop(), _ROW)
        rows.sort()
        self._runs.append(b"".join(rows))
        self._merged, self._searches = len(indexes), 0


def _rows(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def _numbers(run: bytes, identity: bytes) -> Iterator[int]:
    """The pack numbers stored with an id in sorted rows."""
    places = range(len(run) // _ROW)
    place = bisect_left(places, identity, key=lambda n: run[_ROW * n : _ROW * n + _ID])
    while (row := run[_ROW * place : _ROW * (place + 1)])[:_ID] == identity:
        yield int.from_bytes(row[_ID:], "big")
        place += 1


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".idx"))
    except OSError:
        return []


def _map(path: str) -> mmap.mmap | None:
    """Map an index file, so that a lookup touches a few pages however large the store is. Returns
    None if it is not an index."""
    try:
        with open(path, "rb") as stream:
            index = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    if index[:8] == _MAGIC and len(index) >= 8 + 1024 + 40:
        return index
    index.close()
    return None


def _copied(index: mmap.mmap) -> bytes:
    """Copy the part with the ids, so that the file need not stay open."""
    with index:
        return index[: _IDS + _ID * _count(index, 255)]


def _count(index: Index, first: int) -> int:
    """How many ids begin with a byte up to and including `first`."""
    start = 8 + 4 * first
    return int.from_bytes(index[start : start + 4], "big") if first >= 0 else 0


def _identity(index: Index, place: int) -> bytes:
    if place >= _count(index, 255):
        return b""
    start = _IDS + _ID * place
    return index[start : start + _ID]


def _place(index: Index, identity: bytes) -> int:
    """Where `identity` is among the sorted ids, or would be inserted."""
    low, high = _count(index, identity[0] - 1), _count(index, identity[0])
    while low < high:
        middle = (low + high) // 2
        if _identity(index, middle) < identity:
            low = middle + 1
        else:
            high = middle
    return low


def _contains(index: Index, identity: bytes) -> bool:
    first = identity[0]
    counts = index[4 + 4 * first : 12 + 4 * first]
    low = int.from_bytes(counts[:4], "big") if first else 0
    high = int.from_bytes(counts[4:], "big")
    if high - low > _FEW:
        return _identity(index, _place(index, identity)) == identity
    end = _IDS + _ID * high
    at = index.find(identity, _IDS + _ID * low, end)
    while at >= 0 and (at - _IDS) % _ID:  # straddles two ids
        at = index.find(identity, at + 1, end)
    return at >= 0


def _ids(index: Index, first: int) -> bytes:
    """The ids in an index that begin with a byte, concatenated."""
    low, high = _count(index, first - 1), min(_count(index, first), _count(index, 255))
    ids = index[_IDS + _ID * low : _IDS + _ID * high]
    return ids[: len(ids) // _ID * _ID]


def ids_with_prefix(folder: str, prefix: str) -> list[str]:
    """Sorted ids of all objects, loose or packed, that begin with two or more hex digits."""
    found = PackedIds(folder).beginning_with(prefix)
    try:
        rest = os.listdir(f"{folder}/objects/{prefix[:2]}")
    except OSError:
        rest = []
    loose = {prefix[:2] + name for name in rest if len(name) == 38}
    return sorted(found | {identity for identity in loose if identity.startswith(prefix)})


def ids_of(path: str) -> list[str]:
    """Every id in one index, [] if the file is not an index."""
    index = _map(path)
    if index is None:
        return []
    return [_identity(index, place).hex() for place in range(_count(index, 255))]
