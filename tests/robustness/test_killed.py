"""Law 7: killed anywhere, the store is sound, and the next save goes on without anybody's help."""

from __future__ import annotations

import random
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.robustness.conftest import Shell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

DYING = (sys.executable, "-m", "tests.robustness.dying")
KILLS = {"everyday": 50 if LONG else 8, "pack": 25 if LONG else 6, "first": 25 if LONG else 6}


def long_session(shell: Shell, seed: int) -> Claude:
    """Large enough to be written as a pack."""
    chance = random.Random(seed)
    session = Claude(a_uuid("killed", seed), cwd=str(shell.project))
    for number in range(12):
        words = " ".join(f"word{chance.randrange(1 << 20)}" for _ in range(6000))
        session.turn(f"turn {number} of {seed}", words)
    return session


def duration(shell: Shell, session: Claude) -> float:
    """Seconds that saving this takes here and now."""
    shell.writes(session)
    start = time.monotonic()
    shell.does("save", session.session_id)
    return time.monotonic() - start


def assert_survived(shell: Shell, session: Claude, known: list[str]) -> None:
    """After a kill: sound, nothing of before is gone, and one more save ends it all."""
    if shell.store.is_dir():
        shell.is_sound()
    now = shell.history(session)
    assert now[: len(known)] == known
    shell.does("save", session.session_id)
    assert shell.leftovers() == []
    assert shell.raw(session.session_id) == session.data
    shell.is_sound()


def test_killed_at_random_moments_of_everyday_saves(shell: Shell) -> None:
    chance = random.Random(11)
    session = shell.session("start")
    duration(shell, session)
    took = duration(shell, session.turn("to measure"))
    died = 0
    for number in range(KILLS["everyday"]):
        known = shell.history(session)
        shell.writes(session.turn(f"turn {number}", command="ls"))
        process = shell.starts("save", *(["--auto"] if number % 2 else []))
        time.sleep(chance.uniform(0.1, 0.8) * took)
        process.kill()
        process.communicate()
        died += process.returncode == -signal.SIGKILL
        assert_survived(shell, session, known)
    assert died, "some died at their work"
    assert len(shell.history(session)) == KILLS["everyday"] + 2


@pytest.mark.parametrize("kind", ["pack", "first"])
def test_killed_at_random_moments_of_a_first_save(tmp_path: Path, kind: str) -> None:
    """As one pack: into a store that is there, or as the very first command of a person."""
    chance = random.Random(kind)
    shell = Shell(tmp_path / "person")
    took = duration(shell, long_session(shell, 0))
    died = 0
    for number in range(1, KILLS[kind] + 1):
        if kind == "first":
            shell = Shell(tmp_path / f"person-{number}")
        session = long_session(shell, number)
        shell.writes(session)
        process = shell.starts("save", session.session_id)
        time.sleep(chance.uniform(0.1, 0.8) * took)
        process.kill()
        process.communicate()
        died += process.returncode == -signal.SIGKILL
        assert_survived(shell, session, [])
        assert len(shell.history(session)) == 12
    assert died, "some died at their work"


@pytest.mark.parametrize("kind", ["everyday", "pack", "first"])
def test_killed_right_before_each_change_of_the_file_system(tmp_path: Path, kind: str) -> None:
    """Every call of one save that makes, writes, renames or removes a file; in haste, some."""
    step = 1 if LONG else 13
    measured = prepared(Shell(tmp_path / "measured"), kind)
    process = measured[0].starts("0", "save", measured[1].session_id, program=DYING)
    out, err = process.communicate()
    assert process.returncode == 0, err
    calls = int(out.split()[-1])
    assert calls > 15
    died = 0
    for at in range(1, calls, step):
        shell, session = prepared(Shell(tmp_path / f"at-{at}"), kind)
        known = shell.history(session)
        process = shell.starts(str(at), "save", session.session_id, program=DYING)
        process.communicate()
        # The last calls are not the same number every time: then the save was through before.
        assert process.returncode in (-signal.SIGKILL, 0), at
        died += process.returncode != 0
        assert_survived(shell, session, known)
    assert died > (calls // step) * 3 // 4


def prepared(shell: Shell, kind: str) -> tuple[Shell, Claude]:
    """A person right before the save that dies."""
    session = shell.session("one", "two")
    if kind != "first":
        shell.writes(session)
        shell.does("save", session.session_id)
    if kind == "pack":
        session = long_session(shell, 1)
    else:
        session.turn("three", command="ls")
    shell.writes(session)
    return shell, session
