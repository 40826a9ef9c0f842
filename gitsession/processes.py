"""A second process beside this one, for work that one core would do alone: see decision 015.

It is a fork, so it has everything that this process has loaded and read, and nothing of what it is
given or finds touches a file: they talk through two pipes. It ends with the process that made it,
whose end closes the pipes.
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
"""Bytes that may wait in a pipe where the system grants it, so that neither side waits often."""


def can_help() -> bool:
    """Whether a second process can be forked and would find a core. A program with threads must
    not fork (those of libraries count), and other systems than Linux have libraries that do not
    survive it."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class Helper:
    """A fork that runs `work(questions, answers)` and ends. `questions` is written to here,
    `answers` is read from; of the open files it keeps those in `keep`. Raises OSError where no
    process can be made."""

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
        """End it, whatever it is doing."""
        if self.pid:
            try:  # noqa: SIM105 - contextlib costs start-up
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # somebody has waited for every child
        self.end()

    def end(self) -> None:
        """Close the pipes and wait for its end, which is near then."""
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
    """The fork. It keeps no other file of its parent open (a lock would outlive it), leaves Ctrl-C
    to it, and ends without what the interpreter does at its end: that is the parent's."""
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
        return  # the list of them was one of them


def _widen(descriptor: int) -> None:
    import fcntl

    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _QUEUE)
    except (AttributeError, OSError):
        return
