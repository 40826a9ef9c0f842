"""Inside a turn: when the working state is saved, that it comes back, and what a kill can cost."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gitsession.model.report import Saved
from tests.acceptance.conftest import Person, a_session, person
from tests.builders import CLAUDE_ID, Claude

__all__ = ["person"]


def wip(person: Person) -> str:
    return person.git("for-each-ref", "--format=%(objectname)", "refs/gitsession/wip").strip()


def versions(person: Person) -> list[str]:
    return person.git("log", "--format=%s", "--branches").split("\n")[:-1]


def set_policy(person: Person, policy: str, messages: int = 5) -> None:
    assert person.types("config", "autosave.policy", policy).code == 0
    assert person.types("config", "autosave.messages", str(messages)).code == 0
    workspace = person.repository._workspace
    workspace.config = workspace.config.with_value("autosave.policy", policy)
    workspace.config = workspace.config.with_value("autosave.messages", str(messages))


def watched(person: Person, steps: Sequence[Callable[[], object]]) -> list[str]:
    """The working state after each step, as a watch sees them one after the other."""
    states: list[str] = []
    waiting = list(steps)

    def wait(*_: object) -> bool:
        states.append(wip(person))
        if not waiting:
            return False
        waiting.pop(0)()
        return True

    seen: list[Saved] = list(person.repository.watch(["claude-code"], interval=0.0, wait=wait))
    assert all(not one.error for one in seen)
    return states[1:]


def moves(states: Sequence[str]) -> list[int]:
    """After which steps, from 1, the working state was another one."""
    return [at for at, (old, new) in enumerate(zip(["", *states], states, strict=False), 1)
            if old != new]  # fmt: skip


def test_G32_status_says_that_the_turn_in_work_is_kept(person: Person) -> None:
    session = a_session(person, "done")
    person.writes(session)
    person.saves()
    assert "@wip" not in person.types("status").out
    session.prompt("a long turn")
    session.say("not done", None, "m1")
    person.writes(session)
    assert "unsaved: 2 records" in (shown := person.types("status").out) and "@wip" not in shown
    assert person.saves(auto=True).outcome == "wip"
    shown = person.types("status").out
    [line] = [line for line in shown.splitlines() if "@wip" in line]
    revision = line.split()[-1]
    assert "not done" in person.types("show", revision).out


@pytest.mark.parametrize("first_turn", [True, False])
def test_G7_checkpoints_inside_a_turn(person: Person, first_turn: bool) -> None:
    """12 messages and a tool call: kept after 5, after 10, and after the tool."""
    set_policy(person, "messages+tools")
    session = a_session(person, *([] if first_turn else ["done"]))
    if not first_turn:
        person.writes(session)
        person.saves()
    count = len(versions(person))

    def message(number: int) -> Callable[[], object]:
        def step() -> object:
            if number == 1:
                session.prompt("a long turn")
            else:
                session.say(f"step {number}", None, f"m{number}")
            return person.writes(session)

        return step

    def tool() -> object:
        session.bash("make", "built")
        return person.writes(session)

    states = watched(person, [*(message(number) for number in range(1, 13)), tool])
    assert moves(states) == [5, 10, 13]
    assert len(versions(person)) == count, "a checkpoint is no version"
    name = f"{person.repository.list(everything=True)[0].session}/main@wip"
    assert person.raw(name) == session.data
    [row] = person.repository.list(open_only=True)
    assert row.open
    done = person.repository.checkout(name)
    assert b"built" in Path(done.path).read_bytes()
    session.say("The end.")
    person.writes(session)
    person.saves()
    assert wip(person) == ""
    person.is_sound()


def test_G7_one_more_message_of_a_large_session_is_small(person: Person) -> None:
    session = a_session(person)
    for number in range(40):
        session.prompt(f"question {number}")
        session.say(f"answer {number} " * 26_000)
    person.writes(session)
    person.saves()
    before = person.size()
    session.prompt("go on")
    session.say("one more", None)
    person.writes(session)
    assert person.saves(auto=True).outcome == "wip"
    assert person.size() - before < 64 << 10
    assert person.raw("HEAD@wip") == session.data


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("turn", []), ("messages", [5]), ("tools", [2, 3, 4, 5, 6, 7, 8, 9])],
)
def test_the_policy_counts_for_watch_too(person: Person, policy: str, expected: list[int]) -> None:
    set_policy(person, policy)
    session = a_session(person, "done")
    person.writes(session)
    person.saves()

    def step(number: int) -> Callable[[], object]:
        def take() -> object:
            session.prompt("work") if number == 1 else session.bash(f"step {number}", "ok")
            return person.writes(session)

        return take

    states = watched(person, [step(number) for number in range(1, 10)])
    # A prompt, then a message for each call.
    assert moves(states) == expected


def test_a_turn_that_never_says_its_end_is_saved_when_it_is_idle(person: Person) -> None:
    session = a_session(person, "done")
    person.writes(session)
    person.saves()
    session.prompt("work")
    session.say("half", None)
    path = person.writes(session)
    looks = 0

    def wait(*_: object) -> bool:
        nonlocal looks
        looks += 1
        if looks == 2:
            old = time.time() - 40
            os.utime(path, (old, old))
        return looks < 4

    seen = list(person.repository.watch(["claude-code"], interval=0.0, wait=wait))
    assert [one.outcome for one in seen] == ["wip"]


def test_G32_saved_twice_is_saved_once_and_status_tells_what_is_dirty(person: Person) -> None:
    session = a_session(person, "one")
    person.writes(session)
    assert person.types("save").code == 0
    again = person.types("save")
    assert again.code == 0 and "Nothing to save" in again.out
    assert len(versions(person)) == 1

    def status() -> dict[str, object]:
        answer: dict[str, object] = json.loads(person.types("status", "--json").out)["status"]
        return answer

    assert status()["dirty"] is False
    assert "everything is saved" in person.types("status").out
    before = len(session.data)
    session.prompt("two")
    session.bash("ls", "a")
    person.writes(session)
    dirty = status()
    assert dirty["dirty"] is True
    [native] = dirty["natives"]  # type: ignore[misc]
    assert native["unsaved_records"] == 3
    assert native["unsaved_bytes"] == len(session.data) - before
    assert "unsaved: 3 records" in person.types("status").out
    session.say("Done.")
    person.writes(session)
    assert person.types("save").code == 0
    assert status()["dirty"] is False
    person.repository.checkout("HEAD~1")
    assert status()["dirty"] is False, "a checkout is clean"


def test_G32_a_kill_costs_at_most_one_interval(person: Person) -> None:
    """A watch that is killed in the middle of a turn: what was there one interval before is kept,
    and the next run goes on."""
    set_policy(person, "messages", 1)
    session = a_session(person, "done")
    person.writes(session)
    person.saves()
    session.prompt("a long turn")
    watch = person.starts("watch", "claude-code", "--interval", "0.2")
    try:
        for number in range(1, 9):
            session.say(f"step {number}", None, f"m{number}")
            path = person.writes(session)
            old = time.time() - 1
            os.utime(path, (old, old))  # quiet for longer than the interval
            deadline = time.monotonic() + 30
            while number < 8 and f"step {number}".encode() not in _kept(person):
                assert time.monotonic() < deadline, number
                time.sleep(0.02)
        watch.send_signal(signal.SIGKILL)
    finally:
        watch.kill()
        watch.wait(10)
    assert b"step 7" in _kept(person)
    person.is_sound()
    session.say("The end.")
    person.writes(session)
    assert person.saves().outcome == "saved"
    assert person.raw() == session.data


def _kept(person: Person) -> bytes:
    return person.raw("HEAD@wip") if wip(person) else b""


def test_a_first_turn_is_listed_shown_and_continued_as_an_open_session(person: Person) -> None:
    session = Claude(CLAUDE_ID, cwd=str(person.project))
    session.prompt("only begun")
    session.bash("make", "built")
    person.writes(session)
    assert person.saves(auto=True).outcome == "wip"
    assert versions(person) == []
    [row] = person.repository.list()
    assert row.open and row.native_id == CLAUDE_ID
    assert person.types("show", "@1").code == 0
    assert person.types("show", row.session).code == 0
    done = person.repository.checkout("@1")
    assert b"built" in Path(done.path).read_bytes()
