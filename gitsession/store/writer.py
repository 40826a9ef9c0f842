"""Writing versions: a tree from a base tree and an Encoded, a sealed commit, an annotated tag.

Two ways of putting objects, one contract: loose files for a turn or two, packs for an import.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from gitsession.model.encoded import Encoded
from gitsession.model.finding import Clean
from gitsession.store import seal, trees
from gitsession.store.objects import LooseObjects, is_id, object_id
from gitsession.store.pack import MAX_BYTES, PackFile
from gitsession.store.packindex import PackedIds

if TYPE_CHECKING:
    from gitsession.store.store import Store

MAX_VERSIONS = 5000
_TREES = 256
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999, beyond which git refuses a date."""


class Sink(Protocol):
    """Where new objects go."""

    def put(self, kind: str, data: bytes) -> str: ...
    def read(self, identity: str) -> tuple[str, bytes] | None: ...
    def flush(self) -> str: ...
    def abandon(self) -> None: ...
    @property
    def full(self) -> bool: ...


class LooseSink:
    """Every object its own file; an object that a pack holds is not written again."""

    full = False

    def __init__(self, folder: str, durable: bool) -> None:
        self._loose = LooseObjects(folder, durable)
        self._packed = PackedIds(folder)

    def put(self, kind: str, data: bytes) -> str:
        identity = object_id(kind, data)
        if not self._loose.touch(identity) and not self._packed.touch(identity):
            self._loose.write(identity, kind, data)
        return identity

    def read(self, identity: str) -> tuple[str, bytes] | None:
        return self._loose.read(identity)

    def flush(self) -> str:
        return ""

    def abandon(self) -> None:
        """Loose objects that no ref names harm nobody; a later save finds them there."""


class PackSink:
    """Objects into one pack until `flush`; what the store holds already is not written again."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._loose = LooseObjects(folder)
        self._packed = PackedIds(folder)
        self._pack: PackFile | None = None
        self._flushed: set[str] = set()

    def put(self, kind: str, data: bytes) -> str:
        identity = object_id(kind, data)
        if self._pack is None:
            self._pack = PackFile(self._folder)
        known = (
            identity in self._pack
            or identity in self._flushed
            or self._loose.touch(identity)
            or self._packed.touch(identity)
        )
        if not known:
            self._pack.write(identity, kind, data)
        return identity

    def read(self, identity: str) -> tuple[str, bytes] | None:
        return self._pack.read(identity) if self._pack else None

    @property
    def full(self) -> bool:
        return self._pack is not None and self._pack.size >= MAX_BYTES

    def flush(self) -> str:
        pack, self._pack = self._pack, None
        if pack is None:
            return ""
        self._flushed.update(pack.ids())
        return pack.finish()

    def abandon(self) -> None:
        if self._pack is not None:
            self._pack.abandon()
            self._pack = None


class Writer:
    """Made by `Store.writer`. Nothing it writes is visible in the history until a ref moves.

    `full` says that the pack is as large as it may get: call `flush`, move the refs in a
    transaction, go on. Leaving the block flushes; leaving it by an error drops an unfinished pack.
    """

    def __init__(self, store: Store, sink: Sink) -> None:
        self._store = store
        self._sink = sink
        self._author = store.author
        self._versions = 0
        self._cache: dict[str, trees.Entries] = {}

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.flush()
        else:
            self._sink.abandon()

    @property
    def full(self) -> bool:
        return self._sink.full or self._versions >= MAX_VERSIONS

    def flush(self) -> None:
        """Put everything written so far where readers see it. Its `.keep` stands until the next
        transaction of this store has moved its refs."""
        keep = self._sink.flush()
        self._versions = 0
        if keep:
            self._store.keep(keep)

    def commit(
        self, encoded: Encoded, base_tree: str = "", parents: tuple[str, ...] = ()
    ) -> tuple[str, str]:
        """Ids of the new commit and its tree. `base_tree` "" starts from an empty tree."""
        tree = self.tree(encoded, base_tree)
        return self.commit_tree(encoded, tree, parents), tree

    def tree(self, encoded: Encoded, base_tree: str = "") -> str:
        """The id of the base tree with the version's files laid over it; no commit yet."""
        if not isinstance(encoded, Encoded):
            raise TypeError("only an Encoded version can be written")
        if self.full:
            self.flush()
        return trees.update(base_tree, encoded.files, self._entries, self._put)

    def commit_tree(self, encoded: Encoded, tree: str, parents: tuple[str, ...] = ()) -> str:
        """The id of a new commit of a tree that `tree` gave, with the version's message."""
        if not isinstance(encoded, Encoded):
            raise TypeError("only an Encoded version can be written")
        message = encoded.message.encode("utf-8", "replace")
        commit = self._put("commit", self._commit_bytes(tree, parents, message, encoded.time))
        self._versions += 1
        return commit

    def tag(self, target: str, name: Clean, message: Clean, time: int) -> str:
        """The id of an annotated tag object for the commit `target`; a ref must still name it."""
        if not isinstance(name, Clean) or not isinstance(message, Clean):
            raise TypeError("name and message of a tag must be Clean")
        head = f"object {target}\ntype commit\ntag {name}\ntagger {self._stamp(time)}\n\n"
        return self._sink.put(
            "tag", head.encode() + seal.normal(message.encode("utf-8", "replace"))
        )

    def _commit_bytes(
        self, tree: str, parents: tuple[str, ...], message: bytes, time: int
    ) -> bytes:
        if not all(map(is_id, (tree, *parents))):
            raise ValueError("parents and tree are ids of 40 hex digits")
        stamp = self._stamp(time)
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {stamp}", f"committer {stamp}", "", ""]
        return "\n".join(lines).encode() + seal.sealed(self._store.key, tree, parents, message)

    def _stamp(self, time: int) -> str:
        """Author and committer alike: the same content makes the same commit on every machine."""
        return f"{self._author} {min(max(int(time), 0), _LAST_SECOND)} +0000"

    def _put(self, kind: str, data: bytes) -> str:
        identity = self._sink.put(kind, data)
        if kind == "tree":
            if len(self._cache) >= _TREES:
                self._cache.clear()
            self._cache[identity] = trees.parse(data, identity)
        return identity

    def _entries(self, identity: str) -> trees.Entries:
        cached = self._cache.get(identity)
        if cached is None:
            found = self._sink.read(identity) or self._store.reader.read(identity)
            cached = trees.parse(found[1], identity)
        return dict(cached)
