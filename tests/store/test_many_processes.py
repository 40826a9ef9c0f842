"""Eight savers at once, and savers killed at any moment: nothing lost, nothing damaged."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitsession.store import Store, care
from tests.conftest import ROOT
from tests.store.conftest import git

A = "refs/heads/s-1111/main"


def _saver(store: Store, ref: str, count: int, way: str, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.saver", store.folder, ref, str(count), way, name]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_eight_savers_of_one_branch_lose_nothing(store: Store) -> None:
    count = 12
    savers = [_saver(store, A, count, "loose", f"p{n}") for n in range(8)]
    while any(saver.poll() is None for saver in savers):
        care.pack(store)
        time.sleep(0.2)
    for saver in savers:
        _, errors = saver.communicate()
        assert (saver.returncode, errors) == (0, "")
    expected = {f"p{n}-{number}" for n in range(8) for number in range(count)}
    subjects = [version.subject for version in store.log([store.ref(A)])]
    assert sorted(subjects) == sorted(expected)
    assert {path for path in store.tree(store.ref(A)) if path != "last"} == {
        f"rows/{row}" for row in expected
    }
    ids = [operation.id for operation in store.operations()]
    assert ids == list(range(len(expected), 0, -1))


def test_savers_of_many_branches_and_bulk_savers_at_once(store: Store) -> None:
    savers = [
        _saver(store, f"refs/heads/s-{n}/main", 6, "pack" if n % 2 else "loose", f"p{n}")
        for n in range(6)
    ]
    for saver in savers:
        _, errors = saver.communicate()
        assert (saver.returncode, errors) == (0, "")
    for n in range(6):
        assert len(list(store.log([store.ref(f"refs/heads/s-{n}/main")]))) == 6
    assert not list(store.path.rglob("*.keep"))


@pytest.mark.parametrize("way", ["loose", "pack"])
def test_a_saver_killed_at_any_moment_leaves_a_sound_store(store: Store, way: str) -> None:
    chance = random.Random(way)
    told: set[str] = set()
    for turn in range(12):
        saver = _saver(store, A, 10_000, way, f"k{turn}")
        assert saver.stdout is not None
        first = saver.stdout.readline()
        time.sleep(chance.uniform(0, 0.04))
        saver.kill()
        rest, _ = saver.communicate()
        told.update("-".join(line.split()) for line in (first + rest).splitlines())
        with store.lock("maintenance", timeout=60):  # a packing that the dead one started goes on
            git(store, "fsck", "--strict", "--full", "--no-dangling")
    last = _saver(store, A, 1, way, "last")
    _, errors = last.communicate()
    assert (last.returncode, errors) == (0, "")
    subjects = {version.subject for version in store.log([store.ref(A)])}
    assert told <= subjects
    assert {f"rows/{subject}" for subject in subjects} < set(store.tree(store.ref(A)))
    ids = [operation.id for operation in store.operations()]
    assert ids == list(range(len(subjects), 0, -1))
    with store.lock("maintenance", timeout=60):
        care.sweep(store, age=-1)
        for pattern in ("*tmp*", "*.lock", "*.keep"):
            assert not [path for path in store.path.rglob(pattern) if path.is_file()]


def test_the_lock_of_a_killed_process_is_free(store: Store, tmp_path: Path) -> None:
    code = (
        "import sys, time; sys.path.insert(0, '.')\n"
        "from gitsession.files import Lock\n"
        "with Lock(sys.argv[1]):\n"
        "    print('held', flush=True); time.sleep(99)\n"
    )
    command = [sys.executable, "-c", code, f"{store.folder}/gitsession/locks/store"]
    holder = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.kill()
    holder.communicate()
    with store.lock("store", timeout=1):
        pass
