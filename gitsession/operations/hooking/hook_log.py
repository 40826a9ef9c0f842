"""One line for each automatic save in `<state>/hooks/log`; with its predecessor it never exceeds
about twice its limit.

It holds times, agents, native ids, outcomes and durations; nothing of what a session says.
"""

from __future__ import annotations

import os
import time

from gitsession.files import make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.environment import Environment

LARGEST = 256 << 10
"""The limit in bytes; a full log becomes `log.1`, replacing the previous one."""


def path(environment: Environment) -> str:
    return os.path.join(environment.folder("state"), "hooks", "log")


def write(environment: Environment, *words: str) -> None:
    """Add a line: the time, then these words (which must be Clean). If the log cannot be written
    to, the line is dropped."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = " ".join(word for word in (moment, *words) if word)
    line = "".join(c if c.isprintable() else "?" for c in line)[:1000] + "\n"
    file = path(environment)
    try:
        make_private(os.path.dirname(file))
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as stream:
            stream.write(line.encode("utf-8", "replace"))
            full = stream.tell() > LARGEST
        if full:
            os.replace(file, f"{file}.1")
    except OSError:
        return
