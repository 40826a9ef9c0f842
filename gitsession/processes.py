"""A second process, for work that would otherwise occupy one core alone: see decision 015.

It is a fork: it has everything that this process has loaded and read, and what it is given or finds
never touches a file, because they talk through two pipes. It ends with its parent, whose death
closes the pipes.
"""

from __future__ import annotations

import io
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, NoReturn

_QUEUE = 1 << 20
"""Bytes that a pipe may hold, if the system grants it, so that neither side waits often."""


def can_help() -> bool:
    """Whether a second process can be forked and has a core to run on. A program with threads
    (those of libraries included) must not fork, and systems other than Linux have libraries that do
    not survive a fork."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class Helper:
    """A fork that runs `work(questions, answers)` and ends. Write to `questions`, read from
    `answers`. Of the open files it keeps only those in `keep`. Raises OSError if no process can be
    created."""

    def __init__(
        self, work: Callable[[BinaryIO, BinaryIO], None], keep: tuple[int, ...] = ()
    ) -> None:
        asked, questions = os.pipe()
        answers, answered = os.pipe()
        try:
            self.pid = os.fork()
        except OSError:
            for descriptor in (asked, questions, answers, answered):
                os.close(descriptor)
            raise
        if not self.pid:
            _serve(work, asked, answered, keep)
        os.close(asked)
        os.close(answered)
        _widen(questions)
        self.questions: BinaryIO = io.FileIO(questions, "wb")
        self.answers: BinaryIO = io.BufferedReader(io.FileIO(answers, "rb"))

    def kill(self) -> None:
        """End it immediately, whatever it is doing."""
        if self.pid:
            try:  # noqa: SIM105 - contextlib costs start-up
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # somebody else has waited for every child
        self.end()

    def end(self) -> None:
        """Close the pipes and wait for the process to end, which it soon does."""
        for stream in (self.questions, self.answers):
            stream.close()
        if self.pid:
            pid, self.pid = self.pid, 0
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                return  # somebody else has waited for every child


def _serve(
    work: Callable[[BinaryIO, BinaryIO], None], asked: int, answered: int, keep: tuple[int, ...]
) -> NoReturn:
    """Run the fork. It closes every other file of its parent (a lock would outlive it), leaves
    Ctrl-C to the parent, and skips the interpreter's exit handlers, which are the parent's."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for descriptor in map(int, os.listdir("/proc/self/fd")):
            if descriptor > 2 and descriptor not in (asked, answered, *keep):
                _close(descriptor)
        with open(asked, "rb") as questions, open(answered, "wb") as answers:
            work(questions, answers)
        code = 0
    except BaseException:  # noqa: BLE001, S110 - told by the pipe that closes
        pass
    finally:
        os._exit(code)


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return  # the list included the descriptor that read it


def _widen(descriptor: int) -> None:
    import fcntl

    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _QUEUE)
    except (AttributeError, OSError):
        return
