"""What killed processes leave: temporary files, packs without index, `.keep` files, ref locks.

The next transaction of a store removes the leftovers of dead gitsession processes by their name
(`presence`). Leftovers without such a name, those of git programs for instance, are removed by age
whenever the store is packed.
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
"""Seconds after which a temporary file without an owner can only belong to a dead process."""
_SETTLED = 60.0
"""The same for a pack of git's, if nobody fetches and only a packing of ours may be running."""
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
    """Remove ownerless leftovers older than `age` seconds; return in words what was done."""
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
    """Whether a git program was writing this pack: the names of ours contain their owner."""
    name = os.path.basename(path)
    return name.startswith(("tmp_pack_", "tmp_idx_")) and name.count("-") == 0


def _is_of_dead(path: str) -> bool:
    """Whether the repack process named in this temporary file has ended."""
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
    """Remove objects without content, which a power cut leaves. They cannot be read, and git packs
    nothing while they exist. A save writes them again; `fsck` names what needs them."""
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
    """Index packs that have none (a garbage collector might delete those), and remove `.keep` files
    of ours that outlived their save. `dead` judges the path of a pack's `.keep`, or of the pack if
    it has none."""
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
    """The owner named in a `.keep` of ours, "" for any other file."""
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
    """The paths of refs that have a `.lock` file."""
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
    """Remove the folders of fetches that were killed."""
    folder = f"{store.folder}/gitsession/quarantine"
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if _older(f"{folder}/{name}", before) and _nobody_fetches(store):
            shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
            yield "removed what an unfinished fetch left"
