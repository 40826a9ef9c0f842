"""What killed processes leave: temporary files, packs without index, `.keep` files, locks of refs.

The next change of a store buries its dead by name (`presence`). What bears no name of ours, such as
a git program's, is swept by age when the store is packed.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator

from gitsession.errors import GitSessionError, StoreBusy
from gitsession.files import forget
from gitsession.store import process
from gitsession.store.pack import KEEP
from gitsession.store.refs import take_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

_AGE = 3600.0
"""Seconds after which a temporary file without an owner can only be a dead process's."""
_SETTLED = 60.0
"""The same for a pack of git's, when nobody fetches and the one packing that may run is ours."""
_OURS = re.compile(r"\.tmp[0-9]+(-[0-9a-f]+)?$")
_REPACK = re.compile(r"\.tmp-([0-9]{1,9})-pack")
_Wanted = Callable[[str], bool]


def bury(store: Store, owner: str) -> None:
    """Remove what one killed writer left. The caller holds the store's lock."""
    for path in _temporary(store.folder):
        if owner in os.path.basename(path):
            forget(path)
    for _ in _mend_packs(store, lambda path: _owner_of(path) == owner):
        pass
    for path in ref_locks(store.folder):
        take_lock(path, store.notices)  # waits for a git program that holds it now
        forget(f"{path}.lock")


def sweep(store: Store, age: float = _AGE) -> tuple[str, ...]:
    """Remove what is older than `age` seconds and nobody's; what was done, in words."""
    before = time.time() - age
    done = []
    settled = time.time() - min(_SETTLED, age) if _nobody_fetches(store) else before
    for path in _temporary(store.folder):
        if _older(path, settled if _is_gits_pack(path) else before) or _is_of_dead(path):
            forget(path)
            done.append(f"removed {os.path.basename(path)}")
    done += _drop_empty(store.folder)
    done += _drop_quarantine(store, before)
    done += _mend_packs(store, lambda path: _older(path, before))
    try:
        with store.lock("store", timeout=0.0):
            done += _drop_locks(store, before)
    except (StoreBusy, GitSessionError):
        pass
    return tuple(done)


def _nobody_fetches(store: Store) -> bool:
    try:
        with store.fetching(shared=False):
            return True
    except (StoreBusy, OSError):
        return False


def _is_gits_pack(path: str) -> bool:
    """Whether it is a pack that a git program was writing: ours bear the name of their owner."""
    name = os.path.basename(path)
    return name.startswith(("tmp_pack_", "tmp_idx_")) and name.count("-") == 0


def _is_of_dead(path: str) -> bool:
    """Whether the process that a repack names its temporary files after has ended."""
    found = _REPACK.match(os.path.basename(path))
    if not found or os.name != "posix":
        return False
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _drop_empty(folder: str) -> Iterator[str]:
    """Objects without content: a power cut leaves them, nothing of them can be read, and git packs
    nothing while they are there. A save writes them again; `fsck` names what misses them."""
    for parent, _, found in os.walk(f"{folder}/objects"):
        if len(os.path.basename(parent)) == 2:
            for name in found:
                try:
                    empty = os.stat(f"{parent}/{name}").st_size == 0
                except OSError:
                    continue
                if empty:
                    forget(f"{parent}/{name}")
                    yield f"removed the empty object {os.path.basename(parent)}{name}"


def _older(path: str, moment: float) -> bool:
    try:
        return os.stat(path).st_mtime < moment
    except OSError:
        return False


def _temporary(folder: str) -> Iterator[str]:
    for below in ("objects", "gitsession"):
        for parent, _, found in os.walk(f"{folder}/{below}"):
            for name in found:
                ours = below == "gitsession" and _OURS.search(name)
                if ours or name.startswith(("tmp_obj_", "tmp_pack_", "tmp_idx_", ".tmp-")):
                    yield f"{parent}/{name}"


def _mend_packs(store: Store, dead: _Wanted) -> Iterator[str]:
    """A pack without its index (a collector may take it) gets a new one; a `.keep` of ours that
    outlived its save is removed. `dead` judges the path of a pack's `.keep` or of the pack."""
    folder = f"{store.folder}/objects/pack"
    for name in sorted(os.listdir(folder), reverse=True):
        path = f"{folder}/{name}"
        if name.endswith(".pack") and not os.path.exists(path[:-5] + ".idx"):
            keep = path[:-5] + ".keep"
            if not dead(keep if os.path.exists(keep) else path):
                continue
            if process.run(store.git("index-pack", path), store.variables) == 0:
                yield f"made the index of {name} again"
    for name in sorted(os.listdir(folder)):
        path = f"{folder}/{name}"
        if name.endswith(".keep") and dead(path) and _content(path).startswith(KEEP):
            forget(path)
            yield f"removed {name}"


def _owner_of(keep: str) -> str:
    """The owner that a `.keep` of ours names, "" for any other file."""
    if not keep.endswith(".keep"):
        return ""
    first, _, rest = _content(keep).partition(b"\n")
    return rest.strip().decode("ascii", "replace") if first + b"\n" == KEEP else ""


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(4096)
    except FileNotFoundError:
        return b""


def ref_locks(folder: str) -> Iterator[str]:
    """The paths of refs that a `.lock` stands beside."""
    for parent, _, found in os.walk(f"{folder}/refs"):
        for name in found:
            if name.endswith(".lock"):
                yield f"{parent}/{name}".removesuffix(".lock")
    if os.path.exists(f"{folder}/packed-refs.lock"):
        yield f"{folder}/packed-refs"


def _drop_locks(store: Store, before: float) -> Iterator[str]:
    for path in ref_locks(store.folder):
        if _older(f"{path}.lock", before):
            forget(f"{path}.lock")
            yield "removed a stale lock of a ref"


def _drop_quarantine(store: Store, before: float) -> Iterator[str]:
    """Where git was fetching when it was killed."""
    folder = f"{store.folder}/gitsession/quarantine"
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if _older(f"{folder}/{name}", before) and _nobody_fetches(store):
            shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
            yield "removed what an unfinished fetch left"
