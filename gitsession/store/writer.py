"""Writing versions: a tree from a base tree and an Encoded, a sealed commit, an annotated tag.

Whether objects become loose files or go into a pack is decided in `sinks`.
"""

from __future__ import annotations

from types import TracebackType

from gitsession.model.encoded import Encoded
from gitsession.model.finding import Clean
from gitsession.store import seal, trees
from gitsession.store.objects import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.encoded import Data
    from gitsession.store.sinks import Sink
    from gitsession.store.store import Store

MAX_VERSIONS = 5000
_TREES = 256
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999; git refuses later dates."""


class Writer:
    """Made by `Store.writer`. Nothing it writes is visible in the history until a ref moves.

    `full` says that the pack has reached its size or MAX_VERSIONS versions: call `flush`, move the
    refs in a transaction, and continue. Leaving the block flushes; leaving it with an error drops
    an unfinished pack.
    """

    def __init__(self, store: Store, sink: Sink) -> None:
        self._store = store
        self._sink = sink
        self._author = store.author
        self._versions = 0
        self._cache: dict[str, trees.Rows] = {}
        self._work = store.at_work()

    def __enter__(self) -> Writer:
        self._work.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.flush()
            else:
                self._sink.abandon()
        finally:
            self._work.__exit__(kind, error, trace)

    @property
    def full(self) -> bool:
        return self._sink.full or self._versions >= MAX_VERSIONS

    def flush(self) -> None:
        """Put everything written so far where readers see it. The `.keep` of a pack remains until
        the next transaction of this store has moved its refs."""
        keep = self._sink.flush()
        self._versions = 0
        if keep:
            self._store.keep(keep)

    def commit(
        self, encoded: Encoded, base_tree: str = "", parents: tuple[str, ...] = ()
    ) -> tuple[str, str]:
        """Return the ids of the new commit and its tree. `base_tree` "" means an empty tree."""
        tree = self.tree(encoded, base_tree)
        return self.commit_tree(encoded, tree, parents), tree

    def tree(self, encoded: Encoded, base_tree: str = "") -> str:
        """Overlay the base tree with the version's files and return its id, without a commit."""
        if not isinstance(encoded, Encoded):
            raise TypeError("only an Encoded version can be written")
        if self.full:
            self.flush()
        return trees.update(base_tree, encoded.files, self._rows, self._put_blob, self._put_tree)

    def moved(self, tree: str, folder: str, name: str) -> str:
        """Move everything in `folder` of a tree into a new folder `name` within it; return the id
        of the new tree. Both names are ours, never a session's."""
        rows = self._rows(tree)
        whole = trees.folder_in(rows, folder.encode())
        if whole:
            inner: trees.Rows = {}
            trees.place(inner, name.encode(), trees.TREE, whole)
            trees.place(rows, folder.encode(), trees.TREE, self._put_tree(inner))
        return self._put_tree(rows)

    def commit_tree(self, encoded: Encoded, tree: str, parents: tuple[str, ...] = ()) -> str:
        """Commit a tree returned by `tree`, with the version's message; return the id."""
        if not isinstance(encoded, Encoded):
            raise TypeError("only an Encoded version can be written")
        message = encoded.message.encode("utf-8", "replace")
        commit = self._sink.put("commit", self._commit_bytes(tree, parents, message, encoded.time))
        self._versions += 1
        return commit

    def tag(self, target: str, name: Clean, message: Clean, time: int) -> str:
        """Write an annotated tag of the commit `target`; return its id, still without a ref."""
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
        """The line for both author and committer: equal content, equal commits on every machine."""
        return f"{self._author} {min(max(int(time), 0), _LAST_SECOND)} +0000"

    def _put_blob(self, data: Data) -> str:
        return self._sink.put("blob", data)

    def _put_tree(self, rows: trees.Rows) -> str:
        identity = self._sink.put("tree", trees.joined(rows))
        if len(self._cache) >= _TREES:
            self._cache.clear()
        self._cache[identity] = rows
        return identity

    def _rows(self, identity: str) -> trees.Rows:
        cached = self._cache.get(identity)
        if cached is None:
            found = self._sink.read(identity) or self._store.reader.read(identity)
            cached = trees.rows_of(trees.parse(found[1], identity))
        return cached.copy()
