"""Running the git program cheaply: one spawn, one pipe, no import of subprocess.

`log` and `list` pay for this module; importing `subprocess` alone would double their start-up time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from gitsession.environment import UMASK
from gitsession.errors import FormatError, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

_SIGPIPE = 13
"""Python ignores it and children would inherit that; importing `signal` would import enum."""
_CHUNK = 1 << 16

NO_HOOKS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


CAN_SPAWN = hasattr(os, "posix_spawn")
"""If not (on Windows), `subprocess` starts programs, at its usual cost."""


def git_command(git: str, folder: str, arguments: Sequence[str]) -> list[str]:
    """The argument vector of a git command on the store, with hooks and pager disabled. Raises
    NotFound if there is no git program."""
    if not git:
        raise NotFound("the git program is not on the PATH", hint="install git 2.34 or newer")
    return [git, "--no-pager", f"--git-dir={folder}", *NO_HOOKS, *arguments]


class Child:
    """A running program with its output on a pipe, and its input too if `feed` is set.

    Error output is discarded: code that needs it uses `subprocess`, where start-up time does not
    matter.
    """

    def __init__(
        self, command: Sequence[str], variables: Mapping[str, str], feed: bool = False
    ) -> None:
        self.output, child_output = os.pipe()
        child_input, self.input = os.pipe() if feed else (-1, -1)
        self._pid = -1
        self._slow: Popen[bytes] | None = None
        try:
            if CAN_SPAWN:
                self._pid = _spawned(command, variables, child_input, child_output)
            else:
                self._slow = _slow(command, variables, child_input, child_output)
        except BaseException:
            _close(self.output, self.input)
            raise
        finally:
            _close(child_output, child_input)

    def tell(self, data: bytes) -> None:
        """Send all of its input and close the pipe. A program that has already ended receives
        nothing; its exit code says why."""
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self.input, left) :]
        except BrokenPipeError:
            pass
        self.end_input()

    def end_input(self) -> None:
        """Close the pipe to its input: nothing more follows."""
        _close(self.input)
        self.input = -1

    def close(self) -> int:
        """Close both pipes, wait for the end and return the exit code (negative: a signal)."""
        _close(self.output, self.input)
        self.output = self.input = -1
        if self._slow is not None:
            return self._slow.wait()
        if self._pid < 0:
            return 0
        _, status = os.waitpid(self._pid, 0)
        self._pid = -1
        return os.waitstatus_to_exitcode(status)


def _spawned(
    command: Sequence[str], variables: Mapping[str, str], child_input: int, child_output: int
) -> int:
    actions: list[tuple[object, ...]] = [
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, child_output, 1),
    ]
    if child_input >= 0:
        actions.append((os.POSIX_SPAWN_DUP2, child_input, 0))
    else:
        actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
    before = os.umask(UMASK)
    try:
        return os.posix_spawn(
            command[0], list(command), dict(variables),
            file_actions=actions, setsigdef=(_SIGPIPE,),
        )  # fmt: skip
    finally:
        os.umask(before)


def _slow(
    command: Sequence[str], variables: Mapping[str, str], child_input: int, child_output: int
) -> Popen[bytes]:
    import subprocess

    return subprocess.Popen(
        list(command), env=dict(variables), stdout=child_output, stderr=subprocess.DEVNULL,
        stdin=child_input if child_input >= 0 else subprocess.DEVNULL,
    )  # fmt: skip


def run(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run a program and return its exit code; its output is read (so it can end) and dropped."""
    child = Child(command, variables)
    while os.read(child.output, _CHUNK):
        pass
    return child.close()


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)


def fields(
    command: Sequence[str], variables: Mapping[str, str], count: int, told: bytes = b""
) -> Iterator[list[bytes]]:
    """Yield the NUL-separated output of a program as rows of `count` fields, as it arrives. `told`
    is its input, which it reads completely before it answers.

    Raises FormatError if the program fails, after yielding what came before.
    """
    child = Child(command, variables, feed=bool(told))
    done = False
    rest = b""
    row: list[bytes] = []
    try:
        if told:
            child.tell(told)
        while chunk := os.read(child.output, _CHUNK):
            *whole, rest = (rest + chunk).split(b"\0")
            for field in whole:
                row.append(field)
                if len(row) == count:
                    yield row
                    row = []
        done = True
    finally:
        code = child.close()
        if done and code != 0:
            raise FormatError(
                f"git {_verb(command)} failed on the store (exit code {code})",
                hint="run `gitsession fsck`",
            )


def _verb(command: Sequence[str]) -> str:
    skip = False
    for word in command[1:]:
        if skip:
            skip = False
        elif word == "-c":
            skip = True
        elif not word.startswith("-"):
            return word
    return ""
