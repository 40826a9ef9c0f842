"""Dropping objects for good: nobody else at work, everything that git derived deleted, then only
what refs reach is packed again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from gitsession.errors import FormatError, StoreBusy
from gitsession.files import Lock, forget
from gitsession.store import process
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
_DERIVED_BESIDE_PACKS = (".bitmap", ".rev", ".mtimes", ".keep", ".promisor")


@contextmanager
def alone(store: Store, timeout: float = 10.0) -> Iterator[None]:
    """No other process of ours reads texts, writes objects or moves refs while the block runs.

    Raises StoreBusy when one of them does not end in time; then nothing was changed. The locks are
    inherited: when this process is killed, nobody writes before the git that prunes has ended.
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


def drop_unreachable(store: Store) -> None:
    """Remove every object that no ref reaches. The caller is `alone`; needs the git program."""
    store.reader.close()
    _drop_derived(store)
    settings = ("-c", "repack.packKeptObjects=true", "-c", "core.multiPackIndex=false",
                "-c", "gc.cruftPacks=false")  # fmt: skip
    steps = (
        ("repack", "-a", "-d", "-q", "--no-write-bitmap-index"),
        ("prune-packed", "-q"),
        ("prune", "--expire=now"),
    )
    for step in steps:
        if process.run(store.git(*settings, *step), store.variables) != 0:
            _drop_derived(store)  # on a full disk git leaves what it had written of a pack
            raise FormatError(
                f"git {step[0]} failed, so old objects are still in the store",
                hint="run `gitsession fsck`, then the command again",
            )
    _drop_derived(store)


def _drop_derived(store: Store) -> None:
    """Everything that can be made again, and may repeat what an object said."""
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
