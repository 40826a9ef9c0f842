"""Packing in the background: nobody waits for it, and what a killed one left goes at the next."""

from __future__ import annotations

import os
import subprocess
import time

from gitsession.store import Store, care
from tests.store.conftest import git
from tests.store.history_builder import grow

A = "refs/heads/s-1111/main"


def test_a_saver_never_waits_for_a_packing(store: Store) -> None:
    grow(store, A, 30)
    store.patience = 0.2
    with store.lock("maintenance"):  # as the packing process holds it
        begun = time.monotonic()
        grow(store, A, 5)
        assert time.monotonic() - begun < 2
    assert len(list(store.log([store.ref(A)]))) == 35


def test_saves_go_on_while_git_packs(store: Store) -> None:
    grow(store, A, 60)
    assert care.start(store)
    made = 0
    while made < 15:
        grow(store, A, 1)
        made += 1
    with store.lock("maintenance", timeout=60):
        pass
    assert len(list(store.log([store.ref(A)]))) == 75
    assert care.fsck(store) == []


def test_the_pack_of_a_killed_packing_goes_at_the_next(store: Store) -> None:
    """By the number of the process that its name bears, whatever its age; that of a living one
    stays."""
    grow(store, A, 3)
    child = subprocess.Popen(["sleep", "60"])
    folder = store.path / "objects" / "pack"
    alive, dead = folder / f".tmp-{child.pid}-pack-ab.pack", folder / ".tmp-4194000-pack-cd.pack"
    for path in (alive, dead):
        path.write_bytes(b"PACK half of it")
    assert not os.path.exists("/proc/4194000")
    try:
        assert care.pack(store)
        assert alive.exists() and not dead.exists()
    finally:
        child.kill()
        child.wait()
    assert care.pack(store)
    assert not alive.exists()
    git(store, "fsck", "--strict")


def test_a_packing_leaves_what_is_kept_for_undo(store: Store) -> None:
    commits = grow(store, A, 10)
    with store.transaction("delete") as change:
        change.move(A, commits[-1], "")
    assert care.pack(store)
    assert all(store.reader.has(commit) for commit in commits)


def test_a_temporary_pack_without_a_name_goes_once_nobody_fetches(store: Store) -> None:
    """Half a gigabyte of a killed packing does not wait for an hour."""
    grow(store, A, 3)
    left = store.path / "objects" / "pack" / "tmp_pack_Ab12Cd"
    left.write_bytes(b"PACK half of it")
    assert care.pack(store)
    assert left.exists(), "it may be one that is being written right now"
    os.utime(left, (time.time() - 120, time.time() - 120))
    with store.fetching():
        assert care.pack(store)
        assert left.exists()
    assert care.pack(store)
    assert not left.exists()
