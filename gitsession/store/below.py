"""Which trees and blobs some versions hold: of all of them together, in one walk of git."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gitsession.errors import FormatError
from gitsession.store import process, trees
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
            return frozenset(_with_git(store, commits))
        except FormatError:
            pass  # a damaged object ends git's walk: ours names it
    found: set[str] = set()
    for commit in commits:
        _walk(store, store.version(commit).tree, found, 0)
    return frozenset(found)


def _with_git(store: Store, commits: Sequence[str]) -> Iterator[str]:
    words = ("rev-list", "--objects", "--no-object-names", "--no-walk=unsorted", "--stdin")
    child = process.Child(store.git(*words), store.variables, feed=True)
    done = False
    try:
        child.tell("\n".join(commits).encode() + b"\n")
        with os.fdopen(child.output, "rb", closefd=False) as answer:
            for line in answer:
                yield line[:40].decode("ascii", "replace")
        done = True
    finally:
        code = child.close()
        if done and code != 0:
            raise FormatError(
                "git could not list what some versions hold", hint="run `gitsession fsck`"
            )


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
