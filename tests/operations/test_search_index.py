"""The index of search: what must not stand in it, damage, processes at once, kills."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.repository import Repository, open_repository
from gitsession.search import database

from .conftest import LiveSession
from .searching import cache, found, index_file

SECRET = "harvest moon over quiet rivers 1979"


@pytest.mark.parametrize("how", ["scrub", "purge", "gc"])
def test_what_is_gone_for_good_is_in_no_byte_of_the_cache(
    repository: Repository, live: LiveSession, environment: Environment, how: str
) -> None:
    live.turn(f"it is {SECRET}", "fine", tool=f"printed {SECRET}").turn("next")
    repository.save()
    assert len(found(repository, SECRET)) == 2
    assert SECRET.encode() in cache(environment)
    if how == "scrub":
        repository.scrub(repository.plan_scrub(SECRET)[0])
    else:
        repository.delete(repository.head().partition("/")[0], purge=how == "purge")
    if how == "gc":
        repository.gc()
    assert SECRET.encode() not in cache(environment)
    assert not index_file(repository).exists()
    assert found(repository, SECRET, everything=True) == []
    assert len(found(repository, "next", everything=True)) == (how == "scrub")
    assert SECRET.encode() not in cache(environment)


def test_no_secret_reaches_the_index(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    token = "ghp_" + "x7Kq2mVb9LpT4wRz8NcY1sHd6FgJ3aQe5uXo"
    live.turn(f"deploy with {token}", tool=f"token {token}")
    repository.save()
    assert found(repository, "deploy")
    assert found(repository, "REDACTED")
    assert b"deploy with __redacted_" in cache(environment)
    assert token[4:].lower().encode() not in cache(environment)


@pytest.mark.parametrize("content", [b"", b"nonsense " * 4000, b"SQLite format 3\0" + b"\1" * 5000])
def test_a_damaged_index_is_made_anew(
    repository: Repository, live: LiveSession, content: bytes
) -> None:
    live.turn("needle")
    repository.save()
    index_file(repository).parent.mkdir(parents=True, mode=0o700)
    index_file(repository).write_bytes(content)
    assert len(found(repository, "needle")) == 1
    assert len(found(repository, "needle")) == 1


def test_an_index_damaged_inside_is_made_anew(repository: Repository, live: LiveSession) -> None:
    for number in range(30):
        live.turn(f"needle {number} " + "hay " * 200)
    repository.save()
    assert len(found(repository, "needle")) == 30
    data = bytearray(index_file(repository).read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    index_file(repository).write_bytes(data)
    assert len(found(repository, "needle")) == 30


def test_without_a_place_for_it_the_index_is_in_memory(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    live.turn("needle")
    repository.save()
    environment.cache_dir.parent.mkdir(parents=True, exist_ok=True)
    environment.cache_dir.write_text("not a folder")
    assert len(found(repository, "needle")) == 1


def test_without_full_text_every_text_is_read(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.turn("migrate the database").turn("another")
    repository.save()
    monkeypatch.setattr(database, "has_full_text", lambda: False)
    for asked in ("migrations", "grate th", "databse"):
        answer = repository.search(asked)
        assert answer.total == 1, asked
        assert len(answer.notes) == 1 and "read" in answer.notes[0]


_SEARCH = """
import sys
from gitsession.environment import Environment
from gitsession.repository import open_repository
with open_repository(Environment.current()) as repository:
    print(repository.search("needle", everything=True, limit=0).total)
"""


def a_process(environment: Environment) -> subprocess.Popen[str]:
    variables = {**environment.variables, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-c", _SEARCH], cwd=environment.cwd, env=variables, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def many(environment: Environment, another: Callable[[], LiveSession], sessions: int) -> None:
    for number in range(sessions):
        live = another()
        for turn in range(6):
            live.turn(f"needle {number} {turn}", f"answer {number} {turn} " * 30)
    with open_repository(environment) as repository:
        repository.save(everything=True)


def test_processes_at_once_all_find_everything(
    environment: Environment, another: Callable[[], LiveSession]
) -> None:
    many(environment, another, 8)
    processes = [a_process(environment) for _ in range(3)]
    answers = [process.communicate(timeout=120) for process in processes]
    assert answers == [("48\n", "")] * 3


def test_killed_while_it_is_built_it_goes_on(
    environment: Environment, another: Callable[[], LiveSession]
) -> None:
    many(environment, another, 12)
    with open_repository(environment) as repository:
        path = index_file(repository)
    for wait in (0.02, 0.1, 0.2):
        process = a_process(environment)
        deadline = time.monotonic() + 60
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert a_process(environment).communicate(timeout=120) == ("72\n", "")


def test_save_log_and_list_know_nothing_of_it(
    environment: Environment, live: LiveSession, repository: Repository
) -> None:
    live.turn("needle")
    code = """
import sys
from gitsession.environment import Environment
from gitsession.repository import open_repository
with open_repository(Environment.current()) as repository:
    repository.save(); repository.log(); repository.list()
print([name for name in sys.modules if "search" in name or "sqlite" in name])
"""
    variables = {**environment.variables, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=environment.cwd, env=variables, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    names = [name for name in done.stdout.split("'") if "." in name]
    assert names == ["gitsession.operations.verbs.search"]
    assert not (environment.cache_dir / "search").exists()
