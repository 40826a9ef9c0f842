"""git trees as bytes and as dictionaries, and a new tree made from an old one and a few changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from gitsession.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.encoded import Data

BLOB = b"100644"
TREE = b"40000"

Entries = dict[bytes, tuple[bytes, bytes]]
"""Name to mode and binary id, of one folder."""

_REFUSED = {b"", b".", b"..", b".git", b"git~1"}


def parse(data: bytes, identity: str = "") -> Entries:
    """The entries of one tree object, whatever their modes. FormatError if cut or doubled."""
    entries: Entries = {}
    position, end = 0, len(data)
    while position < end:
        space = data.find(b" ", position)
        zero = data.find(b"\0", space)
        if space < 0 or zero < 0 or zero + 21 > end:
            raise FormatError(f"tree {identity} is damaged", hint="run `gitsession fsck`")
        name = data[space + 1 : zero]
        if name in entries:
            raise FormatError(f"tree {identity} names an entry twice", hint="run `gitsession fsck`")
        entries[name] = (data[position:space], data[zero + 1 : zero + 21])
        position = zero + 21
    return entries


def serialise(entries: Entries) -> bytes:
    """The bytes of a tree object; folders sort as if their names ended with a slash."""
    join = b"".join  # twice as fast as a format, and trees have many rows
    rows = [
        (name + b"/" if mode == TREE else name, join((mode, b" ", name, b"\0", identity)))
        for name, (mode, identity) in entries.items()
    ]
    rows.sort()
    return join([row for _, row in rows])


@lru_cache(maxsize=1024)
def is_safe_name(name: bytes) -> bool:
    """Whether an entry of this name can be nothing but a file or folder below its own tree."""
    if b"/" in name or b"\0" in name or b"\\" in name:
        return False
    return name.lower().rstrip(b". ") not in _REFUSED


class _Folder(dict[bytes, "Data | _Folder | None"]):
    """Changes below one folder: contents, None for a removal, or a folder again."""


def update(
    base: str,
    changes: Mapping[str, Data | None],
    load: Callable[[str], Entries],
    put: Callable[[Data], str],
    put_tree: Callable[[Entries], str],
) -> str:
    """The id of the tree that `base` ("" for none) becomes by `changes`.

    Only the trees on the way to a changed path are read, each once. A path may turn from a file to
    a folder and back; a folder without entries disappears.
    """
    return put_tree(_apply(base, _nest(changes), load, put, put_tree))


def _nest(changes: Mapping[str, Data | None]) -> _Folder:
    root = _Folder()
    for path, content in changes.items():
        folder = root
        *parents, name = path.encode("utf-8", "surrogatepass").split(b"/")
        for part in (*parents, name):
            if not is_safe_name(part):
                raise FormatError("a path of this version cannot be stored in git")
        for part in parents:
            below = folder.setdefault(part, _Folder())
            if not isinstance(below, _Folder):
                if below is not None:
                    raise FormatError("a path of this version is a file and a folder at once")
                below = folder[part] = _Folder()
            folder = below
        if isinstance(folder.get(name), _Folder):
            if content is not None:
                raise FormatError("a path of this version is a file and a folder at once")
            continue
        folder[name] = content
    return root


def _apply(
    base: str,
    changes: _Folder,
    load: Callable[[str], Entries],
    put: Callable[[Data], str],
    put_tree: Callable[[Entries], str],
) -> Entries:
    entries = load(base) if base else {}
    for name, change in changes.items():
        if change is None:
            entries.pop(name, None)
        elif isinstance(change, _Folder):
            mode, identity = entries.get(name, (b"", b""))
            below = _apply(identity.hex() if mode == TREE else "", change, load, put, put_tree)
            if below:
                entries[name] = (TREE, bytes.fromhex(put_tree(below)))
            elif mode == TREE:
                del entries[name]
        else:
            entries[name] = (BLOB, bytes.fromhex(put(change)))
    return entries
