"""The trees and blobs that a set of versions holds, found in a single walk of git."""

from __future__ import annotations

from collections.abc import Sequence

from gitsession.errors import FormatError
from gitsession.store import trees, usage
from gitsession.store.view import MAX_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store


def held_by(store: Store, commits: Sequence[str]) -> frozenset[str]:
    """Return the ids of everything in the trees of these commits, but not of their ancestors.
    Raises FormatError if an object is damaged."""
    if not commits:
        return frozenset()
    if store.git_program:
        try:
            return frozenset(usage.needed(store, commits, history=False))
        except FormatError:
            pass  # a damaged object stops git's walk: ours names it
    found: set[str] = set()
    for commit in commits:
        _walk(store, store.version(commit).tree, found, 0)
    return frozenset(found)


def _walk(store: Store, tree: str, found: set[str], depth: int) -> None:
    if tree in found:
        return
    if depth > MAX_DEPTH:
        raise FormatError(f"tree {tree} is too deep", hint="run `gitsession fsck`")
    found.add(tree)
    entries = trees.parse(store.reader.of_kind(tree, "tree"), tree)
    for mode, binary in entries.values():
        if mode == trees.TREE:
            _walk(store, binary.hex(), found, depth + 1)
        else:
            found.add(binary.hex())
