"""A second process that helps: it answers, ends with its pipes, and leaves nothing of ours open."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import BinaryIO, NoReturn

import pytest

from gitsession.cli.main import main
from gitsession.environment import Environment
from gitsession.errors import NotFound
from gitsession.files import Lock
from gitsession.operations.saving import grow
from gitsession.processes import Helper, can_help
from gitsession.repository import open_repository
from tests.builders import Claude

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def echo(questions: BinaryIO, answers: BinaryIO) -> None:
    for line in questions:
        answers.write(line.upper())
        answers.flush()


def is_child(pid: int) -> bool:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


def test_it_answers_and_is_gone_at_the_end() -> None:
    helper = Helper(echo)
    helper.questions.write(b"one\ntwo\n")
    assert [helper.answers.readline(), helper.answers.readline()] == [b"ONE\n", b"TWO\n"]
    pid = helper.pid
    helper.end()
    assert not is_child(pid)
    helper.end()  # once more is no error


def test_one_that_fails_closes_its_pipe_and_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def fail(_questions: BinaryIO, _answers: BinaryIO) -> None:
        raise ValueError("not to be seen")

    helper = Helper(fail)
    assert helper.answers.read() == b""
    helper.end()
    assert capfd.readouterr() == ("", "")


def test_it_can_be_ended_while_it_works() -> None:
    def work(_questions: BinaryIO, _answers: BinaryIO) -> None:
        signal.pause()

    helper = Helper(work)
    pid = helper.pid
    helper.kill()
    assert not is_child(pid)


def test_a_lock_of_its_parent_is_not_held_by_it(tmp_path: Path) -> None:
    """Otherwise the lock would outlive a parent that is killed."""
    with Lock(tmp_path / "lock"):
        helper = Helper(echo)
        helper.questions.write(b"ready\n")
        assert helper.answers.readline() == b"READY\n"
    with Lock(tmp_path / "lock", timeout=0.0):
        helper.end()


def test_it_keeps_the_files_that_it_is_to_keep(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as stream:
        number = stream.fileno()

        def work(_questions: BinaryIO, answers: BinaryIO) -> None:
            os.write(number, b"from there")
            answers.write(b"done")

        helper = Helper(work, keep=(number,))
        assert helper.answers.read() == b"done"
        helper.end()
    assert (tmp_path / "file").read_bytes() == b"from there"


def test_a_program_with_threads_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not can_help()
    finally:
        done.set()
        thread.join()


def test_where_a_second_process_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked in a program without threads, which a test runner may have."""
    tasks = ["1"]
    monkeypatch.setattr(os, "listdir", lambda _: tasks)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert can_help()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert not can_help(), "one core"
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr("sys.platform", "darwin")
    assert not can_help()


@pytest.mark.parametrize("is_program", [True, False])
def test_a_library_does_not_fork_its_host(
    is_program: bool, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked = []
    monkeypatch.setattr("gitsession.processes.can_help", lambda: forked.append(1))
    monkeypatch.setattr("gitsession.redaction.together.can_help", lambda: forked.append(1))
    monkeypatch.setattr("gitsession.redaction.together.MUCH_BYTES", 0)
    monkeypatch.setattr(grow, "MUCH_BYTES", 0)
    monkeypatch.setattr(grow, "BULK_BYTES", 0)
    session = Claude(cwd=environment.cwd)
    session.turn("one", "done").turn("two", "done")
    session.save(environment.home)
    environment.may_fork = is_program
    with open_repository(environment.at(environment.cwd)) as repository:
        assert repository.save().sessions[0].versions
    assert bool(forked) == is_program


def test_the_program_says_that_it_is_one() -> None:
    seen: list[Environment] = []

    def opener(environment: Environment, **_: object) -> NoReturn:
        seen.append(environment)
        raise NotFound("enough", hint="")

    main(["log"], opener=opener)
    main(["-C", os.getcwd(), "log"], opener=opener)
    assert [one.may_fork for one in seen] == [True, True]
    assert not Environment.current().may_fork
