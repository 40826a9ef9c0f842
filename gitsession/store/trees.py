"""git trees as bytes and as dictionaries, and new trees made from an old one and a few changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from gitsession.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.encoded import Data

BLOB, RUNS = b"100644", b"100755"
TREE = b"40000"

Entries = dict[bytes, tuple[bytes, bytes]]
"""The entries of one folder: name to (mode, binary id)."""

_REFUSED = {b"", b".", b"..", b".git", b"git~1"}


def parse(data: bytes, identity: str = "") -> Entries:
    """Parse the entries of one tree object, whatever their modes. Raises FormatError if it is
    truncated or has duplicate names."""
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


Rows = dict[bytes, bytes]
"""The entries as raw rows in the order of the object: sort key to row. Folders sort as if their
names ended with a slash."""
_ID = 20
"""Bytes of the id at the end of a row."""


def rows_of(entries: Entries) -> Rows:
    rows = {
        name + b"/" if mode == TREE else name: _row(mode, name, identity)
        for name, (mode, identity) in entries.items()
    }
    return dict(sorted(rows.items()))


def _row(mode: bytes, name: bytes, identity: bytes) -> bytes:
    return b"".join((mode, b" ", name, b"\0", identity))


def place(rows: Rows, name: bytes, mode: bytes, identity: str) -> None:
    """Make `name` refer to that object, whatever it referred to before."""
    folder = name + b"/"
    key, other = (folder, name) if mode == TREE else (name, folder)
    rows.pop(other, None)
    is_late = key not in rows and bool(rows) and key < next(reversed(rows))
    rows[key] = _row(mode, name, bytes.fromhex(identity))
    if is_late:
        ordered = sorted(rows.items())
        rows.clear()
        rows.update(ordered)


def folder_in(rows: Rows, name: bytes) -> str:
    """The id of the folder with that name, "" if there is none."""
    return rows.get(name + b"/", b"")[-_ID:].hex()


def joined(rows: Rows) -> bytes:
    """The bytes of a tree object."""
    return b"".join(rows.values())


def serialise(entries: Entries) -> bytes:
    return joined(rows_of(entries))


@lru_cache(maxsize=1024)
def is_safe_name(name: bytes) -> bool:
    """Whether an entry of this name can only be a file or folder below its own tree."""
    if b"/" in name or b"\0" in name or b"\\" in name:
        return False
    return name.lower().rstrip(b". ") not in _REFUSED


class _Folder(dict[bytes, "Data | _Folder | None"]):
    """Changes below one folder: new content, None for a removal, or another folder."""


def update(
    base: str,
    changes: Mapping[str, Data | None],
    load: Callable[[str], Rows],
    put: Callable[[Data], str],
    put_tree: Callable[[Rows], str],
) -> str:
    """Apply `changes` to the tree `base` ("" for an empty one) and return the id of the result.

    Only the trees on the way to a changed path are read, each once. A path may turn from a file
    into a folder and back; a folder without entries disappears. Raises FormatError for an unsafe
    path, or one that would be a file and a folder at once.
    """
    return put_tree(_apply(base, _nest(changes), load, put, put_tree))


def _nest(changes: Mapping[str, Data | None]) -> _Folder:
    root = _Folder()
    for path, content in changes.items():
        *parents, name = path.encode("utf-8", "surrogatepass").split(b"/")
        for part in (*parents, name):
            if not is_safe_name(part):
                raise FormatError("a path of this version cannot be stored in git")
        folder = _folder(root, parents, content is None)
        if folder is None:
            continue
        inside = folder.get(name)
        if isinstance(inside, _Folder):
            if content is None:
                continue
            if not _is_emptied(inside):
                raise FormatError("a path of this version is a file and a folder at once")
        folder[name] = content
    return root


def _folder(root: _Folder, parents: Sequence[bytes], removes: bool) -> _Folder | None:
    """The folder for a change; None for a removal below a path that becomes a file."""
    folder = root
    for part in parents:
        below = folder.setdefault(part, _Folder())
        if below is None:
            below = folder[part] = _Folder()
        if not isinstance(below, _Folder):
            if removes:
                return None
            raise FormatError("a path of this version is a file and a folder at once")
        folder = below
    return folder


def _is_emptied(folder: _Folder) -> bool:
    """Whether all changes below a folder are removals."""
    return all(
        change is None or (isinstance(change, _Folder) and _is_emptied(change))
        for change in folder.values()
    )


def _apply(
    base: str,
    changes: _Folder,
    load: Callable[[str], Rows],
    put: Callable[[Data], str],
    put_tree: Callable[[Rows], str],
) -> Rows:
    rows = load(base) if base else {}
    for name, change in sorted(changes.items()):
        if change is None:
            rows.pop(name, None)
            rows.pop(name + b"/", None)
        elif isinstance(change, _Folder):
            below = _apply(folder_in(rows, name), change, load, put, put_tree)
            if below:
                place(rows, name, TREE, put_tree(below))
            else:
                rows.pop(name + b"/", None)
        else:
            place(rows, name, RUNS if getattr(change, "runs", False) else BLOB, put(change))
    return rows
