"""Law 7: killed anywhere, the ref is old or new and complete; many savers lose nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsession.model.history import HEADS
from tests.acceptance.conftest import LONG, Person, a_session
from tests.builders import Claude

KILLS = 200 if LONG else 20
SAVERS = 5


def tip(person: Person) -> str:
    refs = person.git("for-each-ref", "--format=%(refname) %(objectname)", HEADS).split()
    return refs[1] if refs else ""


def history(person: Person) -> list[str]:
    """The ids from the first version to the tip, as git itself walks them."""
    at = tip(person)
    return person.git("rev-list", "--reverse", at).split() if at else []


@pytest.mark.slow
def test_CL7_killed_at_random_moments(person: Person) -> None:
    """A turn more each time, and the saver killed; every fifth one with a pack of its own."""
    chance = random.Random(7)
    session = Claude(cwd=str(person.project))
    session.turn("start")
    person.writes(session)
    person.saves()
    took = min(typical_time(person, session) for _ in range(3))
    known = history(person)
    died = 0
    for number in range(KILLS):
        large = 600 << 10 if number % 5 == 4 else 2_000
        session.turn(f"turn {number}", answer(large, number))
        person.writes(session)
        process = person.starts("save", *(["--auto"] if number % 2 else []))
        time.sleep(chance.uniform(0.2, 1.1) * took)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        died += process.returncode == -signal.SIGKILL
        person.is_sound()
        now = history(person)
        assert now[: len(known)] == known, "nothing that was there is gone"
        person.git("cat-file", "-e", f"{now[-1]}^{{tree}}")
        known = now
    assert died > KILLS / 4, "most were killed in the middle"
    done = person.types("save")
    assert done.code == 0, done
    assert person.raw() == session.data
    assert person.repository.version("HEAD").subject == f"turn {KILLS - 1}"
    assert len(history(person)) == KILLS + 4
    assert person.types("fsck").code == 0
    assert left_over(person) == []


def answer(length: int, seed: int) -> str:
    chance = random.Random(seed)
    return " ".join(f"word{chance.randrange(100_000)}" for _ in range(length // 9))


def typical_time(person: Person, session: Claude) -> float:
    """Seconds that one save of this machine takes as a process."""
    session.turn("to measure")
    person.writes(session)
    start = time.monotonic()
    process = person.starts("save")
    process.communicate()
    assert process.returncode == 0
    return time.monotonic() - start


def left_over(person: Person) -> list[Path]:
    """Locks that would stop the next saver."""
    return list(person.repository.store_path.rglob("*.lock"))


@pytest.fixture
def savers() -> Iterator[list[subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.kill()
        process.communicate()


def test_CL7_parallel_saves_of_one_growing_session(
    person: Person, savers: list[subprocess.Popen[bytes]]
) -> None:
    """A saver is started after each new turn, none waits for another."""
    session = a_session(person, "start")
    person.writes(session)
    for number in range(SAVERS):
        session.prompt(f"turn {number}")
        session.say(f"answer {number}")
        person.writes(session)
        savers.append(person.starts("save"))
    for process in savers:
        out, err = process.communicate()
        assert process.returncode in (0, 11), (out, err)
        assert b"Traceback" not in err
        if process.returncode:
            assert b"error: " in err and b"hint: " in err
    assert person.types("save").code == 0
    subjects = [version.subject for version in person.repository.log("HEAD", limit=0)]
    assert subjects == [*(f"turn {n}" for n in reversed(range(SAVERS))), "start"]
    assert person.raw() == session.data
    assert person.git("for-each-ref", "--format=%(refname)", HEADS).count("\n") == 1
    person.is_sound()


@pytest.mark.slow
def test_eight_processes_save_one_growing_session(
    person: Person, savers: list[subprocess.Popen[bytes]]
) -> None:
    """Every record once, and no error at all: the lock is waited for."""
    session = a_session(person, "start")
    path = person.writes(session)
    rounds = 12 if LONG else 2
    for number in range(rounds):
        for _ in range(8):
            savers.append(person.starts("save", "--auto"))
            session.prompt(f"turn {len(session.rows)}")
            with path.open("ab") as stream:
                stream.write(session.rows[-1][:40])
                stream.flush()
                stream.write(session.rows[-1][40:])
                session.say(f"answer {number}")
                stream.write(session.rows[-1])
        for process in savers:
            out, err = process.communicate()
            assert (process.returncode, err) == (0, b""), out
    assert person.types("save").code == 0
    assert person.raw() == session.data
    subjects = [version.subject for version in person.repository.log("HEAD", limit=0)]
    assert len(subjects) == len(set(subjects)) == rounds * 8 + 1
    person.is_sound()
    assert person.types("fsck").code == 0
