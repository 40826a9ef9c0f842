"""A real agent in a terminal of its own: keys go in, what it prints is kept."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

from .conftest import User

_ESCAPES = re.compile(rb"\x1b(\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_()#].?)")
_QUESTIONS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}


class Terminal:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = b""

    def types(self, text: str) -> None:
        os.write(self._descriptor, text.encode())
        self.waits(lambda _: False, 0.3)

    def waits(self, until: Callable[[str], bool], seconds: float = 20) -> bool:
        """Whether what was printed since the start (without blanks) became what is waited for."""
        deadline = time.monotonic() + seconds
        while not until(self.text):
            if time.monotonic() > deadline:
                return False
            self._reads()
        return True

    def shows(self, text: str, seconds: float = 20) -> bool:
        wanted = "".join(text.split())
        return self.waits(lambda seen: wanted in seen, seconds)

    @property
    def text(self) -> str:
        """Without blanks: a terminal program moves the cursor where a blank would stand."""
        return "".join(_ESCAPES.sub(b"", self._seen).decode("utf-8", "replace").split())

    def _reads(self) -> None:
        if not select.select([self._descriptor], [], [], 0.05)[0]:
            return
        try:
            data = os.read(self._descriptor, 1 << 16)
        except OSError:
            data = b""
        for question, answer in _QUESTIONS.items():
            if question in data:
                os.write(self._descriptor, answer)
        self._seen += data


@contextmanager
def terminal(user: User, *command: str | Path) -> Iterator[Terminal]:
    """The command in a terminal of 130 columns, until the block is left."""
    words = [str(word) for word in command]
    child, descriptor = pty.fork()
    if child == 0:
        os.chdir(user.project)
        os.execvpe(words[0], words, user.environment())
    try:
        ioctl(descriptor, TIOCSWINSZ, struct.pack("HHHH", 45, 130, 0, 0))
        yield Terminal(descriptor)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(descriptor)
