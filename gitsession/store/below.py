"""Which trees and blobs some versions hold: of all of them together, in one walk of git."""

from __future__ import annotations

from collections.abc import Sequence

from gitsession.errors import FormatError
from gitsession.store import trees, usage
from gitsession.store.view import MAX_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store


def held_by(store: Store, commits: Sequence[str]) -> frozenset[str]:
    """Ids of what these commits hold, not of what those before them held. Raises FormatError for
    what is damaged."""
    if not commits:
        return frozenset()
    if store.git_program:
        try:
            return frozenset(usage.needed(store, commits, history=False))
        except FormatError:
            pass  # a damaged object ends git's walk: ours names it
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
