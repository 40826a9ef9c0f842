"""Packing in the background, sweeping, and what fsck says of damage."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import StoreBusy
from gitsession.files import Lock
from gitsession.store import Store, care, drop
from gitsession.store.every import every_object
from tests.store.conftest import KEY, git
from tests.store.history_builder import grow

A = "refs/heads/s-1111/main"


def _loose(store: Store) -> list[Path]:
    return [path for path in (store.path / "objects").glob("??/*") if path.is_file()]


def _age(path: Path, seconds: float = 7200) -> None:
    os.utime(path, (time.time() - seconds, time.time() - seconds))


def test_packing_moves_loose_objects_and_keeps_every_one(store: Store) -> None:
    commits = grow(store, A, 60)
    with store.transaction("delete") as change:
        change.move(A, commits[-1], "")
    everything = git(store, "cat-file", "--batch-all-objects", "--batch-check")
    assert care.pack(store)
    assert _loose(store) == []
    assert git(store, "cat-file", "--batch-all-objects", "--batch-check") == everything
    assert [version.id for version in store.log([commits[-1]])] == commits[::-1]


def test_packing_goes_on_in_the_background_and_only_once(store: Store) -> None:
    grow(store, A, 40)
    with store.lock("maintenance"):
        assert not care.start(store)
        assert not care.pack(store)
        assert _loose(store)
    assert care.start(store)
    deadline = time.monotonic() + 20
    while _loose(store) and time.monotonic() < deadline:
        grow(store, A, 1)
        time.sleep(0.05)
        break
    with store.lock("maintenance", timeout=20):
        assert len(_loose(store)) < 20
    assert len(list(store.log([store.ref(A)]))) == 41


def test_every_fiftieth_change_starts_a_packing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    monkeypatch.setattr(care, "start", lambda at: started.append(at.oplog.last_id()))
    for _ in range(102):
        grow(store, A, 1)
    assert started == [50, 100]


def test_leftovers_are_swept_when_old_and_only_then(store: Store) -> None:
    (one,) = grow(store, A, 1)
    leftovers = [
        store.path / "objects" / "tmp_obj_1_1_abcd", store.path / "objects/pack/tmp_pack_1_ab",
        store.path / "gitsession" / "heads.json.tmp123", store.path / (A + ".lock"),
        store.path / "objects/pack/pack-0000.keep",
    ]  # fmt: skip
    for path in leftovers:
        path.write_bytes(b"gitsession bulk save\n")
    assert care.sweep(store) == ()
    for path in leftovers:
        _age(path)
    foreign = store.path / "objects/pack/pack-1111.keep"
    foreign.write_bytes(b"kept by its owner")
    _age(foreign)
    assert len(care.sweep(store)) == len(leftovers)
    assert not any(path.exists() for path in leftovers)
    assert foreign.exists()
    assert store.ref(A) == one
    foreign.unlink()


def test_an_orphan_pack_gets_its_index_back(store: Store) -> None:
    commits = grow(store, A, 20, bulk=True)
    (index,) = (store.path / "objects/pack").glob("*.idx")
    index.unlink()
    _age(index.with_suffix(".pack"))
    assert care.sweep(store)
    assert [version.id for version in store.log([commits[-1]])] == commits[::-1]


def test_what_an_unfinished_fetch_left_is_dropped(store: Store) -> None:
    grow(store, A, 1)
    room = store.path / "gitsession/quarantine/abc"
    (room / "refs/heads").mkdir(parents=True)
    care.sweep(store)
    assert room.exists()
    _age(room)
    with store.fetching():
        care.sweep(store)
    assert room.exists()
    care.sweep(store)
    assert not room.exists()


@pytest.mark.parametrize("with_git", [True, False])
def test_fsck_names_the_damaged_object(
    store: Store, environment: Environment, with_git: bool
) -> None:
    commits = grow(store, A, 3)
    variables = environment.variables if with_git else {**environment.variables, "PATH": "/none"}
    with Store.open(store.path, KEY, Environment(variables, environment.home, "/")) as other:
        assert care.fsck(other) == []
        (store.path / "damaged").touch()
        path = store.path / "objects" / commits[1][:2] / commits[1][2:]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.chmod(0o600)
        path.write_bytes(data)
        problems = care.fsck(other)
    assert {problem.place for problem in problems if problem.kind == "object"} >= {commits[1]}
    assert all(store.folder not in problem.message for problem in problems)


def test_fsck_names_missing_objects_and_bad_refs(store: Store) -> None:
    (store.path / "damaged").touch()
    commits = grow(store, A, 3)
    (store.path / "objects" / commits[2][:2] / commits[2][2:]).unlink()
    (store.path / "refs/heads/s-1111/bad").write_bytes(b"rubbish")
    problems = {(problem.kind, problem.place) for problem in care.fsck(store)}
    assert ("ref", A) in problems
    assert ("ref", "refs/heads/s-1111/bad") in problems


def test_nobody_writes_before_the_git_of_a_killed_dropping_has_ended(store: Store) -> None:
    """It prunes what no ref names yet, that of a new save too."""
    grow(store, A, 3)
    with drop.alone(store):
        pruning = subprocess.Popen(["sleep", "1.5"], close_fds=False)  # as git is started
    with pytest.raises(StoreBusy), Lock(store.path / "gitsession/locks/work", 0.0, shared=True):
        pass
    with pytest.raises(StoreBusy), store.lock("maintenance", timeout=0.0):
        pass
    begun = time.monotonic()
    assert len(list(every_object(store))) >= 9  # waits, too
    assert pruning.poll() is not None or time.monotonic() - begun > 1
    pruning.wait()
    with store.at_work():
        grow(store, A, 1)


def test_everything_is_read_while_a_packing_is_at_work(store: Store) -> None:
    grow(store, A, 300)
    everything = {identity for identity, _, _ in every_object(store)}
    for _ in range(5):
        grow(store, A, 20)
        care.start(store)
        found = {identity for identity, _, _ in every_object(store)}
        assert everything < found
        everything = found
