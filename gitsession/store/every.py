"""Every object of a store, whether or not a ref reaches it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gitsession.store import process
from gitsession.store.care import settled
from gitsession.store.objects import damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from gitsession.store.store import Store

    Object = tuple[str, str, bytes]


def every_object(store: Store) -> Iterator[Object]:
    """Yield (id, kind, content) of every object. Raises FormatError if one is damaged: what cannot
    be read cannot be called clean."""
    with settled(store):
        yield from _by_git(store) if store.git_program else _one_by_one(store)


def _by_git(store: Store) -> Iterator[Object]:
    command = store.git("cat-file", "--batch-all-objects", "--unordered", "--buffer", "--batch")
    child = process.Child(command, store.variables)
    done = False
    try:
        with os.fdopen(child.output, "rb", closefd=False) as stream:
            yield from _parse(stream)
        done = True
    finally:
        code = child.close()
        if done and code != 0:
            raise damaged("of this store", "cannot be read")


def _parse(stream: IO[bytes]) -> Iterator[Object]:
    while line := stream.readline():
        words = line.split()
        if len(words) != 3 or not words[2].isdigit():
            raise damaged(line[:40].decode("ascii", "replace"))
        size = int(words[2])
        data = stream.read(size + 1)
        if len(data) != size + 1:
            raise damaged(words[0].decode("ascii", "replace"))
        yield words[0].decode("ascii"), words[1].decode("ascii"), data[:-1]


def _one_by_one(store: Store) -> Iterator[Object]:
    from gitsession.store.packindex import ids_with_prefix

    for first in range(256):
        for identity in ids_with_prefix(store.folder, f"{first:02x}"):
            yield (identity, *store.reader.read(identity))


def every_file(store: Store) -> Iterator[tuple[str, bytes]]:
    """Yield (path below the store, content) of every file outside `objects/`."""
    for parent, folders, found in os.walk(store.folder):
        if parent == store.folder:
            folders.remove("objects")
        for name in found:
            path = f"{parent}/{name}"
            try:
                with open(path, "rb") as stream:
                    data = stream.read()
            except FileNotFoundError:
                continue
            yield path[len(store.folder) + 1 :], data
