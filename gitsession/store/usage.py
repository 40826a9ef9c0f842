"""How much space objects take, and which of them certain versions need: counted by git, streamed.

Callers that count objects do so within `care.settled`: packs must not vanish while git reads them.
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
_NO_BASE = b"0" * 40
_FEW = 3
"""One full commit is tolerated for this many delta commits, such as the first of each history."""


def sizes(store: Store) -> dict[str, int]:
    """Compressed size on disk of every object, in bytes, by id (for a delta, the size of the
    delta). Raises FormatError if an object cannot be read, NotFound without the git program."""
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


def is_compared(store: Store) -> bool:
    """Whether most objects are stored as deltas, judged by the commits, which all resemble each
    other. git copies unchanged what is in a single pack, and a bulk save writes one without deltas.
    Raises NotFound without the git program."""
    command = store.git(
        "cat-file", "--batch-all-objects", "--unordered", "--buffer",
        "--batch-check=%(objecttype) %(deltabase)",
    )  # fmt: skip
    whole = alike = 0
    for line in _lines(store, command):
        kind, _, base = line.partition(b" ")
        if kind == b"commit":
            whole, alike = whole + (base == _NO_BASE), alike + (base != _NO_BASE)
    return whole <= alike // _FEW


def needed(store: Store, tips: Iterable[str], *, history: bool = True) -> Iterator[str]:
    """Yield the ids of all objects that these commits or tags need, with `history` including those
    of their ancestors. Raises FormatError if something is missing."""
    wanted = list(dict.fromkeys(tips))
    if not wanted:
        return
    options = [] if history else ["--no-walk=unsorted"]
    command = store.git("rev-list", "--objects", "--no-object-names", *options, "--stdin")
    for line in _lines(store, command, wanted):
        yield line.decode("ascii", "replace")


def _lines(store: Store, command: list[str], words: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield the lines that a program prints; `words` are its input, one per line. `rev-list` reads
    its input to the end before it prints, so this cannot deadlock."""
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
    """Bytes in allocated blocks of a folder and everything in it."""
    total = 0
    for parent, _, found in os.walk(folder):
        for name in ("", *found):
            try:
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
            except OSError:
                continue
    return total


def loose(store: Store) -> tuple[int, int, int]:
    """Count the loose objects: their number, their bytes, and the bytes that their blocks waste."""
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
    """Stat the files in a folder; a packing may remove them and the folder at any moment."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return


def packs(store: Store) -> int:
    return sum(name.endswith(".pack") for name in os.listdir(f"{store.folder}/objects/pack"))
