"""The layout of a store: where things are, how to create one, and how to recognize one of ours.

Created by hand, because `git init` would copy the user's templates, hooks included.
"""

from __future__ import annotations

import os

from gitsession.errors import Conflict, FormatError, StoreNotFound
from gitsession.files import sync

VERSION = 1
MARKER = "gitsession/format"
AUTHOR = "gitsession/author"
_TITLE = "gitsession store"
_FOLDERS = (
    "objects/pack", "objects/info", "refs/heads", "refs/tags", "gitsession/locks",
    "hooks",
)  # fmt: skip

NOBODY = "gitsession <gitsession@localhost>"

HEAD = "ref: refs/heads/README\n"
CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\tfilemode = true
\tsymlinks = false
\tignorecase = false
\tprecomposeunicode = false
\tautocrlf = false
\tprotectHFS = true
\tprotectNTFS = true
\tlogallrefupdates = false
\thooksPath = hooks
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tfsmonitor = false
[gc]
\tauto = 0
\tautoDetach = false
\tpruneExpire = never
\treflogExpire = never
\treflogExpireUnreachable = never
[maintenance]
\tauto = false
[receive]
\tfsckObjects = true
\tautogc = false
[fetch]
\tfsckObjects = true
\twriteCommitGraph = false
[transfer]
\tfsckObjects = true
\thideRefs = refs/gitsession
[repack]
\twriteBitmaps = false
[pack]
\tthreads = 1
\twindow = 100
\twindowMemory = 64m
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
"""


def create(folder: str, author: str = "") -> None:
    """Create a store. A gitsession store that already exists there (another process may have been
    faster) is left alone. Raises Conflict if the path is anything else but an empty folder."""
    if os.path.lexists(os.path.join(folder, MARKER)):
        return check(folder)
    if os.path.lexists(folder) and not _is_empty_folder(folder):
        raise Conflict(
            f"{folder} exists and is not a gitsession store",
            hint="name a path that does not exist yet",
        )
    os.makedirs(os.path.dirname(folder) or ".", mode=0o700, exist_ok=True)
    try:
        _make(folder, f"{folder}.new", author)
    except FileNotFoundError:
        # Another process has finished it and removed the folder in which we were about to begin.
        check(folder)
    return None


def _make(folder: str, scratch: str, author: str) -> None:
    """Fill a scratch folder next to the target, or continue one that a killed process left, then
    rename it. The lock inside makes all others wait and becomes the store's own."""
    from gitsession.files import OPEN_FILES_STAY, Lock, forget

    _make_folders(scratch)
    # Windows cannot rename a folder that contains an open file: there the lock is next to it.
    lock = f"{scratch}.lock" if OPEN_FILES_STAY else f"{scratch}/gitsession/locks/store"
    with Lock(lock):
        if not os.path.lexists(os.path.join(folder, MARKER)):
            _fill(scratch, author)
            _rename(scratch, folder)
    if os.path.isdir(scratch):
        remove(scratch)
    if OPEN_FILES_STAY:
        forget(lock)


def _rename(scratch: str, folder: str) -> None:
    """Rename the store into place, which must be free or an empty folder."""
    if os.name == "nt" and os.path.isdir(folder):
        os.rmdir(folder)
    os.rename(scratch, folder)


def _is_empty_folder(folder: str) -> bool:
    return os.path.isdir(folder) and not os.path.islink(folder) and not os.listdir(folder)


def _make_folders(folder: str) -> None:
    for name in _FOLDERS:
        path = folder
        for part in ("", *name.split("/")):
            path = f"{path}/{part}".rstrip("/")
            try:
                os.mkdir(path, 0o700)
            except FileExistsError:
                continue


def _fill(folder: str, author: str) -> None:
    """Write the files, the marker last: a folder with a marker is complete."""
    _write(f"{folder}/HEAD", HEAD)
    _write(f"{folder}/config", CONFIG)
    _write(f"{folder}/{AUTHOR}", (author or NOBODY) + "\n")
    _write_hook(folder)
    _write(f"{folder}/{MARKER}", f"{_TITLE} {VERSION}\n")


def _write_hook(folder: str) -> None:
    """Write the guard of a bare `git push` from the store; our git never runs it (`NO_HOOKS`)."""
    from gitsession.store.pre_push import SCRIPT

    _write(f"{folder}/hooks/pre-push", SCRIPT, 0o700)


def _write(path: str, text: str, mode: int = 0o600) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(text.encode("utf-8", "replace"))
        stream.flush()
        sync(descriptor)  # once in a store's lifetime


def remove(folder: str) -> None:
    """Remove a folder and everything in it."""
    for parent, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(os.path.join(parent, name))
        for name in folders:
            os.rmdir(os.path.join(parent, name))
    os.rmdir(folder)


def check(folder: str) -> None:
    """Raises StoreNotFound if the folder is not a gitsession store, FormatError for a damaged
    marker or a newer format."""
    try:
        with open(f"{folder}/{MARKER}", "rb") as stream:
            text = stream.read(256).decode("utf-8", "replace")
    except OSError:
        there = os.path.lexists(folder)
        raise StoreNotFound(
            f"{folder} is not a gitsession store" if there else f"there is no store at {folder}",
            hint="move it away, or name another place with --store"
            if there
            else "`gitsession save` makes the default store, `gitsession init --name X` another",
        ) from None
    title, _, number = text.strip().rpartition(" ")
    if title != _TITLE or not number.isdecimal():
        raise FormatError(
            f"the marker file of the store {folder} is damaged",
            hint=f"it must read `{_TITLE} {VERSION}`",
        )
    if int(number) > VERSION:
        raise FormatError(
            f"the store {folder} has format {number}; this release reads formats up to {VERSION}",
            hint="install a newer gitsession; the store was not touched",
        )


def author(folder: str) -> str:
    """`Name <address>` for every commit made here, fixed when the store was created."""
    try:
        with open(f"{folder}/{AUTHOR}", encoding="utf-8", errors="replace") as stream:
            text = stream.readline().strip()
    except OSError:
        return NOBODY
    name, _, address = text.partition("<")
    name, address = _plain(name), _plain(address)
    return f"{name} <{address}>" if name and address else NOBODY


def _plain(text: str) -> str:
    """Strip the characters that would end a name or an address in a commit header."""
    return "".join(letter for letter in text if letter not in "<>\n\0").strip(" .,:;\"'\\")
