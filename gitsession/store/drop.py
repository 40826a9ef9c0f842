"""Dropping objects for good: with nobody else at work, delete everything that git derived, then
repack only what refs reach."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from gitsession.errors import FormatError, StoreBusy
from gitsession.files import Lock, forget
from gitsession.store import process, usage
from gitsession.store.layout import remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

_DERIVED = (
    "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "AUTO_MERGE",
    "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "index", "description", "gc.log",
    "info/refs", "objects/info/packs", "objects/info/commit-graph",
)  # fmt: skip
_DERIVED_FOLDERS = ("logs", "objects/info/commit-graphs")
_ANEW = ("-f", "--window=10")
"""Compares every object with others, even within its own pack: that halves a bulk save. A larger
window takes proportionally longer and gains nothing."""
_DERIVED_BESIDE_PACKS = (".bitmap", ".rev", ".mtimes", ".keep", ".promisor")


@contextmanager
def alone(store: Store, timeout: float = 10.0) -> Iterator[None]:
    """Keep our other processes from reading texts, writing objects or moving refs in the block.

    Raises StoreBusy if one of them does not finish in time; nothing has changed then. The locks are
    inherited: if this process is killed, nobody writes before the pruning git has ended.
    """
    store.presence.announce()
    locks = f"{store.folder}/gitsession/locks"
    with ExitStack() as held:
        try:
            saves = sorted(name for name in os.listdir(locks) if name.startswith("save-"))
            for name in ("work", *saves, "maintenance"):
                lock = held.enter_context(Lock(f"{locks}/{name}", timeout))
                os.set_inheritable(lock.descriptor, True)
        except StoreBusy:
            raise StoreBusy(
                "another process works on this store, so nothing can be dropped from it",
                hint="wait for it to end (and stop `gitsession watch`), then run it again",
            ) from None
        held.enter_context(store.transaction("drop"))
        store.is_alone = True
        try:
            yield
        finally:
            store.is_alone = False


def drop_unreachable(store: Store, *, compare: bool = False) -> None:
    """Remove every object that no ref reaches. The caller must be `alone` and needs the git
    program. `compare` also searches for deltas among the objects of bulk saves, if there are many
    of them."""
    store.reader.close()
    _drop_derived(store)
    anew = _ANEW if compare and not usage.is_compared(store) else ()
    settings = ("-c", "repack.packKeptObjects=true", "-c", "core.multiPackIndex=false",
                "-c", "gc.cruftPacks=false")  # fmt: skip
    steps = (
        ("repack", "-a", "-d", "-q", "--no-write-bitmap-index", *anew),
        ("prune-packed", "-q"),
        ("prune", "--expire=now"),
    )
    for step in steps:
        if process.run(store.git(*settings, *step), store.variables) != 0:
            _drop_derived(store)  # on a full disk git leaves the pack that it had begun
            raise FormatError(
                f"git {step[0]} failed, so old objects are still in the store",
                hint="run `gitsession fsck`, then the command again",
            )
    _drop_derived(store)


def _drop_derived(store: Store) -> None:
    """Remove everything that can be regenerated and may repeat the content of an object."""
    for name in _DERIVED:
        forget(f"{store.folder}/{name}")
    for name in _DERIVED_FOLDERS:
        if os.path.isdir(f"{store.folder}/{name}"):
            remove(f"{store.folder}/{name}")
    packs = f"{store.folder}/objects/pack"
    for name in os.listdir(packs):
        temporary = name.startswith(("tmp_", ".tmp-"))
        if temporary or name.endswith(_DERIVED_BESIDE_PACKS) or name.startswith("multi-pack-index"):
            forget(f"{packs}/{name}")
