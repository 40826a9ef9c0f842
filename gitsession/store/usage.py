"""How much room objects take, and which of them some versions need: git's counting, streamed.

Who counts objects does it within `care.settled`: packs must not vanish under git's eyes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from gitsession.errors import FormatError
from gitsession.store import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

_CHUNK = 1 << 16


def sizes(store: Store) -> dict[str, int]:
    """Bytes on disk of every object by id, compressed as it lies there (a delta counts as such).
    Raises FormatError for what cannot be read, NotFound without the git program."""
    command = store.git(
        "cat-file", "--batch-all-objects", "--unordered", "--buffer",
        "--batch-check=%(objectname) %(objectsize:disk)",
    )  # fmt: skip
    found: dict[str, int] = {}
    for line in _lines(store, command):
        identity, _, size = line.partition(b" ")
        if size.isdigit():
            found[identity.decode("ascii")] = int(size)
    return found


def needed(store: Store, tips: Iterable[str], *, history: bool = True) -> Iterator[str]:
    """Ids of all objects that these commits or tags need; with `history` what they descend from
    too. Raises FormatError where something is missing."""
    wanted = list(dict.fromkeys(tips))
    if not wanted:
        return
    options = [] if history else ["--no-walk=unsorted"]
    command = store.git("rev-list", "--objects", "--no-object-names", *options, "--stdin")
    for line in _lines(store, command, wanted):
        yield line.decode("ascii", "replace")


def _lines(store: Store, command: list[str], words: Sequence[str] = ()) -> Iterator[bytes]:
    """The lines that a program prints; `words` are its input, one a line. `rev-list` reads it to
    its end before it prints, so nobody waits here."""
    child = process.Child(command, store.variables, feed=bool(words))
    done = False
    rest = b""
    try:
        if words:
            child.tell("".join(f"{word}\n" for word in words).encode())
        while chunk := os.read(child.output, _CHUNK):
            *whole, rest = (rest + chunk).split(b"\n")
            yield from whole
        done = True
    finally:
        code = child.close()
        if done and code != 0:
            raise FormatError("the objects of the store cannot be counted: some are damaged",
                              hint="run `gitsession fsck`")  # fmt: skip


def folder_size(folder: str) -> int:
    """Bytes in blocks of a folder and everything in it."""
    total = 0
    for parent, _, found in os.walk(folder):
        for name in ("", *found):
            try:
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
            except OSError:
                continue
    return total


def loose(store: Store) -> tuple[int, int, int]:
    """How many objects are not packed, their bytes, and what their blocks waste beyond these."""
    number = size = blocks = 0
    objects = f"{store.folder}/objects"
    for fan in os.listdir(objects):
        if len(fan) != 2:
            continue
        for status in _statuses(f"{objects}/{fan}"):
            number, size = number + 1, size + status.st_size
            blocks += status.st_blocks * 512
    return number, size, max(0, blocks - size)


def _statuses(folder: str) -> Iterator[os.stat_result]:
    """Of the files in it; a packing may take them and the folder away at any moment."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return


def packs(store: Store) -> int:
    return sum(name.endswith(".pack") for name in os.listdir(f"{store.folder}/objects/pack"))
