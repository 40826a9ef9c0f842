"""watch: agents that call no hook are looked at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gitsession.errors import NotFound
from gitsession.model.report import Saved
from gitsession.operations.hooking import watch as watching
from tests.acceptance.conftest import Person, a_session

OTHER = "99999999-2222-4333-8444-555555555555"


def subjects(person: Person) -> list[str]:
    return [version.subject for version in person.repository.log(limit=0)]


def aged(path: Path, seconds: float = 60) -> Path:
    """A file that was left alone for a while."""
    moment = time.time() - seconds
    os.utime(path, (moment, moment))
    return path


def test_one_look_saves_what_is_new(person: Person) -> None:
    person.writes(a_session(person, "a", "b"))
    (saved,) = person.repository.watch(once=True)
    assert (saved.outcome, len(saved.versions)) == ("saved", 2)
    assert [saved.outcome for saved in person.repository.watch(once=True)] == ["nothing"]


def test_what_changes_is_saved_when_it_is_quiet(person: Person) -> None:
    looks = 0

    def wait(folders: Sequence[str], _: float) -> bool:
        nonlocal looks
        looks += 1
        assert str(person.environment.home / ".claude") in folders
        if looks == 2:
            person.writes(a_session(person, "a", "b"))  # just now: the next look takes it
        if looks == 3:
            aged(person.writes(a_session(person, "a", "b")))
        if looks == 4:
            aged(person.writes(a_session(person, "c", session_id=OTHER), OTHER), 30)
        return looks < 6

    aged(person.writes(a_session(person, "a")), 90)
    seen: list[Saved] = list(person.repository.watch(interval=0.2, wait=wait))
    assert [(one.outcome, len(one.versions)) for one in seen] == [("saved", 1)] * 3
    assert looks == 6
    assert len(person.repository.list(everything=True)) == 2


def test_hooked_paused_and_deleted_are_left_alone(person: Person) -> None:
    person.writes(a_session(person, "a"))
    person.types("hooks", "install", "claude-code")
    assert list(person.repository.watch(once=True)) == []
    person.types("hooks", "pause")
    assert list(person.repository.watch(["claude-code"], once=True)) == []
    person.types("hooks", "resume")
    assert len(list(person.repository.watch(["claude-code"], once=True))) == 1
    person.repository.delete(person.repository.list()[0].session)
    assert list(person.repository.watch(["claude-code"], once=True)) == []
    with pytest.raises(NotFound):
        list(person.repository.watch(["nobody"], once=True))


def test_one_bad_session_does_not_end_the_watch(person: Person) -> None:
    aged(person.writes(b'{"type": "user", "mess', OTHER))
    aged(person.writes(a_session(person, "a")), 30)
    outcomes = [one.outcome for one in person.repository.watch(once=True)]
    assert outcomes == ["unreadable", "saved"]
    assert OTHER in person.types("status").out


@pytest.fixture
def watcher(person: Person) -> Iterator[subprocess.Popen[bytes]]:
    process = person.starts("watch", "--interval", "0.2", "claude-code")
    yield process
    process.kill()
    process.communicate()


def test_a_watch_runs_until_it_is_interrupted(
    person: Person, watcher: subprocess.Popen[bytes]
) -> None:
    deadline = time.monotonic() + 20
    person.writes(a_session(person, "a"))
    while not person.repository.list(everything=True):
        assert time.monotonic() < deadline and watcher.poll() is None
        time.sleep(0.05)
    assert subjects(person) == ["a"]
    time.sleep(0.5)
    watcher.send_signal(signal.SIGINT)
    out, err = watcher.communicate(timeout=10)
    assert watcher.returncode == 0 and err == b""
    assert b"claude-code" in out and b"saved" in out


def test_without_the_extra_it_looks_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert watching.waiting() is watching._sleep


def test_the_extra_wakes_it(person: Person) -> None:
    pytest.importorskip("watchfiles")
    folder = person.environment.home / ".claude"
    folder.mkdir(exist_ok=True)
    wait = watching.waiting()
    begun = time.monotonic()
    assert wait([str(folder), str(folder / "gone")], 0.1)
    assert time.monotonic() - begun < 5
