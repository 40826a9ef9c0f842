"""Locks and leftovers of dead processes: known by owner and age, cleared, and said."""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path

from tests.robustness.conftest import Shell

DEAD = "999999-abcdef01"


def saved(shell: Shell) -> Path:
    shell.writes(shell.session("one"))
    shell.does("save")
    return shell.store


def test_what_a_killed_process_left_is_cleared_with_a_message(shell: Shell) -> None:
    store = saved(shell)
    (store / "gitsession" / "running" / DEAD).touch()
    left = store / "objects" / f"tmp_obj_{DEAD}_1_ab"
    left.write_bytes(b"half")
    done = shell.does("tag", "x")
    assert b"note: cleared what process 999999 had left when it was killed" in done.err
    assert not left.exists() and shell.leftovers() == []
    assert shell.does("tag", "y").err == b""


def test_a_living_owner_is_left_alone_however_old_its_files_look(shell: Shell) -> None:
    store = saved(shell)
    owner = store / "gitsession" / "running" / DEAD
    left = store / "objects" / f"tmp_obj_{DEAD}_1_ab"
    left.write_bytes(b"half")
    with owner.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        os.utime(left, (1, 1))
        assert shell.does("tag", "x").err == b""
        assert left.exists()
    shell.does("tag", "y")
    assert not left.exists()


def test_a_stale_lock_of_a_ref_is_cleared_by_age_with_a_message(shell: Shell) -> None:
    store = saved(shell)
    (branch,) = (store / "refs" / "heads").glob("*/main")
    lock = Path(f"{branch}.lock")
    lock.touch()
    os.utime(lock, (time.time() - 300, time.time() - 300))
    shell.writes(shell.session("one", "two"))
    done = shell.does("save")
    assert b"note: cleared a lock of heads/" in done.err and b"left 300 seconds ago" in done.err
    assert not lock.exists()


def test_a_clock_that_jumped_backwards(shell: Shell) -> None:
    """Everything looks as if it came from the future: a lock from there is waited for, not for
    ever, and saves go on."""
    store = saved(shell)
    future = time.time() + 400 * 86400
    for path in (*store.rglob("*"), shell.path()):
        os.utime(path, (future, future))
    (branch,) = (store / "refs" / "heads").glob("*/main")
    lock = Path(f"{branch}.lock")
    lock.touch()
    os.utime(lock, (future, future))
    session = shell.session("one", "two")
    shell.writes(session)
    begun = time.monotonic()
    shell.does("save")
    assert time.monotonic() - begun < 8
    assert shell.raw() == session.data
    assert len(shell.history(session)) == 2
    assert b"in the future" not in shell.does("log").out
    shell.is_sound()


def test_an_interrupted_change_is_finished_with_a_message(shell: Shell) -> None:
    store = saved(shell)
    (tip,) = [line.split()[0] for line in shell.git("for-each-ref", "refs/heads").splitlines()]
    journal = store / "gitsession" / "pending.json"
    entry = {"id": 9, "time": 9, "verb": "tag", "refs": [["refs/tags/s/t", "", tip]]}
    journal.write_text(json.dumps(entry) + "\n")
    done = shell.does("branch", "x")
    assert b"note: finished a change (tag) that was interrupted" in done.err
    assert not journal.exists()
    assert tip in shell.git("for-each-ref", "refs/tags/s/t")


def test_nothing_is_said_by_an_automatic_save(shell: Shell) -> None:
    store = saved(shell)
    (store / "gitsession" / "running" / DEAD).touch()
    shell.writes(shell.session("one", "two"))
    done = shell.does("save", "--auto")
    assert done.err == b""
    assert shell.leftovers() == []
