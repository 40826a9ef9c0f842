"""The program, killed by itself right before its N-th call that changes a file system.

`python -m tests.robustness.dying N save …`; N = 0 lives and prints how many such calls it made.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

CALLS = ("rename", "replace", "unlink", "link", "mkdir", "rmdir", "write", "fsync", "utime")


def main(at: int) -> None:
    count = 0

    def tick() -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def replacement(*arguments: Any, **named: Any) -> Any:
            tick()
            return call(*arguments, **named)

        return replacement

    def opened(*arguments: Any, **named: Any) -> int:
        if arguments[1] & (os.O_CREAT | os.O_TRUNC):
            tick()
        return open_it(*arguments, **named)

    open_it = os.open
    os.open = opened
    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    sys.argv = ["gitsession", *sys.argv[2:]]

    from gitsession.cli import main as cli

    code = cli.main(sys.argv[1:])
    if not at:
        print(count)
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]))
