"""Law 7: many savers, importers and a packing at once; every record exactly once, and no error."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.robustness.conftest import Shell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

OTHERS = 3
Process = subprocess.Popen[bytes]


@pytest.fixture
def running() -> Iterator[list[Process]]:
    processes: list[Process] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.communicate()


def grow(shell: Shell, session: Claude, prompt: str) -> None:
    """Append a turn as an agent does: in pieces, a record at a time."""
    before = len(session.rows)
    session.turn(prompt, command="ls")
    with shell.path(session.session_id).open("ab", buffering=0) as stream:
        for row in session.rows[before:]:
            stream.write(row[:30])
            stream.write(row[30:])


def end_well(processes: list[Process]) -> None:
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, b""), out
    processes.clear()


def assert_every_turn_once(shell: Shell, session: Claude) -> None:
    shell.does("save", session.session_id)
    prompts = re.findall(rb'"lastPrompt":"([^"]*)"', session.data)
    assert shell.raw(session.session_id) == session.data
    tip = shell.history(session)[-1]
    subjects = shell.git("log", "--reverse", "--format=%s", tip).split("\n")[:-1]
    assert subjects == [prompt.decode() for prompt in prompts]


def assert_sound(shell: Shell, sessions: int) -> None:
    assert shell.git("for-each-ref", "--format=%(refname)", "refs/heads").count("\n") == sessions
    assert [left for left in shell.leftovers() if "maintenance" not in left] == []
    shell.is_sound()


def test_eight_savers_of_one_growing_session(shell: Shell, running: list[Process]) -> None:
    """Eight at a time, the file growing under them; every second as a hook does it."""
    session = shell.session("start")
    shell.writes(session)
    savers, saves = (16, 50) if LONG else (8, 3)
    for number in range(saves):
        for saver in range(savers):
            running.append(shell.starts("save", *(["--auto"] if saver % 2 else [])))
            if saver % 4 == 0:
                grow(shell, session, f"turn {number}.{saver}")
        end_well(running)
    assert_every_turn_once(shell, session)
    assert_sound(shell, 1)


def test_savers_importers_and_packing_at_once(shell: Shell, running: list[Process]) -> None:
    """One session saved and imported from the same file, others beside it, packs made meanwhile."""
    session = shell.session("start")
    path = shell.writes(session)
    others = [shell.session("start", session_id=a_uuid("other", n)) for n in range(OTHERS)]
    for other in others:
        shell.writes(other)
    shell.does("save", "--all")
    stop = threading.Event()
    packs = threading.Thread(target=keep_packing, args=(shell, stop))
    packs.start()
    try:
        for number in range(20 if LONG else 3):
            grow(shell, session, f"turn {number}")
            running += [shell.starts("save") for _ in range(3)]
            running += [shell.starts("import", str(path)) for _ in range(2)]
            for other in others:
                grow(shell, other, f"turn {number}")
                running.append(shell.starts("save", "--auto", other.session_id))
            running.append(shell.starts("save", "--all"))
            running.append(shell.starts("fsck"))
            end_well(running)
    finally:
        stop.set()
        packs.join()
    for each in (session, *others):
        assert_every_turn_once(shell, each)
    assert list((shell.store / "objects" / "pack").glob("*.pack"))
    assert_sound(shell, 1 + OTHERS)


def keep_packing(shell: Shell, stop: threading.Event) -> None:
    """What every fiftieth operation starts, as often as it can."""
    program = (
        "import sys; from pathlib import Path; from gitsession.environment import Environment;"
        "from gitsession.store import Store, care;"
        "care.pack(Store.open(sys.argv[1], b'k' * 32, Environment.current()))"
    )
    while not stop.is_set():
        process = shell.starts(str(shell.store), program=(sys.executable, "-c", program))
        _, err = process.communicate()
        assert (process.returncode, err) == (0, b"")
