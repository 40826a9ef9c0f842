"""The files of a version as a read-only mapping from path to bytes, read on demand.

Trees may come from strangers: only plain files and folders are accepted, and everything is limited.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from gitsession.errors import FormatError
from gitsession.store import trees
from gitsession.store.objects import damaged
from gitsession.store.reader import Reader

MAX_DEPTH = 24
MAX_ENTRIES = 2_000_000
MAX_BLOB = 64 << 20
"""Bytes; blobs that `snapshot` writes end at 32 MiB."""
_PLAIN_FILES = (trees.BLOB, trees.RUNS)


class TreeView(Mapping[str, bytes]):
    """A lazy mapping over one tree. Raises KeyError for a missing path, FormatError for a damaged
    or forbidden entry."""

    def __init__(self, reader: Reader, tree: str) -> None:
        self.tree = tree
        self._reader = reader
        self._folders: dict[str, trees.Entries] = {}
        self._count = -1

    def __getitem__(self, path: str) -> bytes:
        identity = self.blob_id(path)
        data = self._reader.of_kind(identity, "blob")
        if len(data) > MAX_BLOB:
            raise damaged(identity, "is too large")
        return data

    def __iter__(self) -> Iterator[str]:
        for path, _ in self.walk():
            yield path

    def __len__(self) -> int:
        if self._count < 0:
            self._count = sum(1 for _ in self.walk())
        return self._count

    def __contains__(self, path: object) -> bool:
        try:
            return bool(isinstance(path, str) and self.blob_id(path))
        except KeyError:
            return False

    def blob_id(self, path: str) -> str:
        """The id of the file at `path`: equal ids mean equal bytes. Raises KeyError."""
        return self._row(path)[1].hex()

    def _row(self, path: str) -> tuple[bytes, bytes]:
        """(mode, binary id) of the file at `path`. Raises KeyError."""
        *parents, name = path.encode("utf-8", "surrogatepass").split(b"/")
        if len(parents) >= MAX_DEPTH:
            raise KeyError(path)
        folder = self._entries(self.tree)
        for part in parents:
            mode, identity = folder.get(part, (b"", b""))
            if mode != trees.TREE:
                raise KeyError(path)
            folder = self._entries(identity.hex())
        mode, identity = folder.get(name, (b"", b""))
        if mode not in _PLAIN_FILES:
            raise KeyError(path)
        return mode, identity

    def may_run(self, path: str) -> bool:
        """Whether the file at `path` is executable. Raises KeyError."""
        return self._row(path)[0] == trees.RUNS

    def walk(self, below: str = "") -> Iterator[tuple[str, str]]:
        """Yield (path, blob id) of every file below a folder ("" for all), in git's order."""
        tree, prefix = self.tree, ""
        for part in below.encode("utf-8", "surrogatepass").split(b"/") if below else ():
            mode, identity = self._entries(tree).get(part, (b"", b""))
            if mode != trees.TREE:
                return
            tree, prefix = identity.hex(), f"{prefix}{_text(part)}/"
        yield from self._walk(tree, prefix, prefix.count("/"), itertools.count())

    def _walk(
        self, tree: str, prefix: str, depth: int, seen: Iterator[int]
    ) -> Iterator[tuple[str, str]]:
        """Folders count too: nested ones without files could be walked almost endlessly."""
        if depth >= MAX_DEPTH:
            raise damaged(self.tree, "is too deep")
        for name, (mode, identity) in self._entries(tree).items():
            if next(seen) >= MAX_ENTRIES:
                raise damaged(self.tree, "has too many entries")
            path = prefix + _text(name)
            if mode == trees.TREE:
                yield from self._walk(identity.hex(), path + "/", depth + 1, seen)
            else:
                yield path, identity.hex()

    def _entries(self, tree: str) -> trees.Entries:
        found = self._folders.get(tree)
        if found is None:
            found = trees.parse(self._reader.of_kind(tree, "tree"), tree)
            for name, (mode, _) in found.items():
                if mode != trees.TREE and mode not in _PLAIN_FILES:
                    raise FormatError(f"tree {tree} holds a link or a foreign repository")
                if not trees.is_safe_name(name):
                    raise FormatError(f"tree {tree} holds a name that leads outside")
            self._folders[tree] = found
        return found


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
