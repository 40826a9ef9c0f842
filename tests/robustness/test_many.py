"""Law 7: many savers, importers, packings and pushes at once; every record exactly once."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.robustness.conftest import Shell
from tests.robustness.forking import Ended, Server
from tests.robustness.stages import QuickShell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

SAVERS, SAVES, OTHERS = (16, 50, 5) if LONG else (8, 3, 3)
BUSY, CONFLICT, REMOTE = 11, 13, 15
"""Documented codes: the lock was not free for ten seconds; a ref moved; the remote refused."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def grow(shell: Shell, session: Claude, prompt: str) -> None:
    """Append a turn as an agent does: in pieces, a record at a time. The agent has changed its mind
    about the title, so that savers give the session another name, until it is pushed."""
    before = len(session.rows)
    session.row(type="ai-title", aiTitle=f"About {prompt}")
    session.turn(prompt, command="ls")
    with shell.path(session.session_id).open("ab", buffering=0) as stream:
        for row in session.rows[before:]:
            stream.write(row[:30])
            stream.write(row[30:])


class Worker:
    """Runs its commands one after the other, beside the other workers. `ahead` happens before each
    one; `codes` are what it may end with."""

    def __init__(
        self, argv: tuple[str, ...], times: int, *more: int,
        ahead: Callable[[int], object] = lambda number: None,
    ) -> None:  # fmt: skip
        self.argv, self.left, self.done = argv, times, 0
        self.codes, self._ahead = (0, *more), ahead

    def next(self, shell: Shell, server: Server) -> int:
        self._ahead(self.done)
        self.left, self.done = self.left - 1, self.done + 1
        return server.start(self.argv, shell.project, shell.variables)

    def check(self, ended: Ended) -> None:
        assert ended.code in self.codes, (self.argv, ended)
        assert b"Traceback" not in ended.err
        said = b"error: " in ended.err and b"hint: " in ended.err
        assert not ended.code or said or b"  rejected  " in ended.out, (self.argv, ended)


def all_together(shell: Shell, server: Server, workers: list[Worker]) -> Counter[str]:
    """Every worker always has one command running, until all have done theirs; what came out."""
    at_work = {worker.next(shell, server): worker for worker in workers}
    codes: Counter[str] = Counter()
    while at_work:
        pid, ended = server.wait_any()
        worker = at_work.pop(pid)
        worker.check(ended)
        codes[f"{worker.argv[0]} {ended.code}"] += 1
        if worker.left:
            at_work[worker.next(shell, server)] = worker
    return codes


def assert_every_turn_once(shell: Shell, session: Claude) -> None:
    shell.does("save", session.session_id)
    prompts = re.findall(rb'"lastPrompt":"([^"]*)"', session.data)
    assert shell.raw(session.session_id) == session.data
    tip = shell.history(session)[-1]
    subjects = shell.git("log", "--reverse", "--format=%s", tip).split("\n")[:-1]
    assert subjects == [prompt.decode() for prompt in prompts]


def assert_sound(shell: Shell, sessions: int) -> None:
    assert shell.git("for-each-ref", "--format=%(refname)", "refs/heads").count("\n") == sessions
    left = [path for path in shell.leftovers() if "maintenance" not in path]
    assert left == [], left
    shell.is_sound()


def begin(shell: Shell) -> tuple[Claude, list[Claude]]:
    """One session that all save, and others beside it; everything saved once."""
    session = shell.session("start")
    others = [shell.session("start", session_id=a_uuid("other", n)) for n in range(OTHERS)]
    for each in (session, *others):
        shell.writes(each)
    shell.does("save", "--all")
    return session, others


def a_remote(shell: Shell) -> Path:
    far = shell.home.parent / "far.git"
    subprocess.run(["git", "init", "-q", "--bare", str(far)], check=True)
    shell.does("remote", "add", "far", str(far))
    return far


@pytest.mark.parametrize("run", range(3 if LONG else 1))
def test_savers_of_one_growing_session_others_gc_and_push(
    tmp_path: Path, server: Server, run: int
) -> None:
    """Sixteen processes save one session fifty times each while it grows, five more others of
    their own, and meanwhile the store is packed, cleaned up and pushed."""
    shell = QuickShell(tmp_path / "person", server)
    session, others = begin(shell)
    far = a_remote(shell)
    workers = [
        Worker(("save", *(["--auto"] if n % 2 else []), session.session_id), SAVES, BUSY,
               ahead=lambda number, n=n: n % 4 or grow(shell, session, f"turn {number}.{n}"))
        for n in range(SAVERS)
    ]  # fmt: skip
    workers += [
        Worker(("save", "--auto", other.session_id), SAVES, BUSY,
               ahead=lambda number, other=other: grow(shell, other, f"turn {number}"))
        for other in others
    ]  # fmt: skip
    workers.append(Worker(("gc", "--yes"), SAVES // 2, BUSY, CONFLICT))
    workers.append(Worker(("push", "far", "--all", "--yes"), SAVES // 2, BUSY, CONFLICT, REMOTE))
    workers.append(Worker(("fsck",), SAVES // 2))
    codes = all_together(shell, server, workers)
    print(f"run {run}: {dict(sorted(codes.items()))}")
    for each in (session, *others):
        assert_every_turn_once(shell, each)
    shell.does("gc", "--yes")
    assert list((shell.store / "objects" / "pack").glob("*.pack"))
    assert_sound(shell, 1 + OTHERS)
    shell.does("push", "far", "--all", "--yes")
    theirs = subprocess.run(["git", "-C", str(far), "for-each-ref", "refs/heads"],
                            capture_output=True, text=True, check=True).stdout  # fmt: skip
    sessions = [line for line in theirs.splitlines() if not line.endswith("refs/heads/README")]
    assert sessions == shell.git("for-each-ref", "refs/heads").splitlines()
    subprocess.run(["git", "-C", str(far), "fsck", "--strict"], check=True, capture_output=True)


def test_savers_importers_and_packing_at_once(tmp_path: Path, server: Server) -> None:
    """One session saved and imported from the same file, others beside it, packs made meanwhile."""
    shell = QuickShell(tmp_path / "person", server)
    session, others = begin(shell)
    path = shell.path(session.session_id)
    times = 20 if LONG else 3
    workers = [Worker(("save", session.session_id), times) for _ in range(2)]
    workers.append(
        Worker(("save", session.session_id), times,
               ahead=lambda number: grow(shell, session, f"turn {number}"))
    )  # fmt: skip
    workers += [Worker(("import", str(path)), times) for _ in range(2)]
    workers += [
        Worker(("save", "--auto", other.session_id), times,
               ahead=lambda number, other=other: grow(shell, other, f"turn {number}"))
        for other in others
    ]  # fmt: skip
    workers += [Worker(("save", "--all"), times), Worker(("gc", "--yes"), times, BUSY, CONFLICT)]
    all_together(shell, server, workers)
    for each in (session, *others):
        assert_every_turn_once(shell, each)
    assert_sound(shell, 1 + OTHERS)
