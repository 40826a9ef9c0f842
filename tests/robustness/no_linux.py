"""The program in an interpreter that lacks what Linux has and a Mac has not: `python no_linux.py
VERB …`.

`os`, `fcntl`, `select` and `signal` lose what is Linux's alone, `/proc` cannot be opened, the
platform is called "darwin", and `fcntl` knows what a Mac's knows: F_FULLFSYNC (each one is a line
in the file that SYNCED names) and F_GETPATH (it answers with SPELLED, where that is set). It is
still no Mac: the file system tells capitals apart, and the programs are those of this system.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess  # noqa: F401 - these are loaded before anything is taken away
import sys
import tempfile  # noqa: F401
from typing import Any

GONE = """
sched_getaffinity sched_setaffinity sched_getscheduler sched_setscheduler sched_getparam
sched_setparam memfd_create O_TMPFILE O_PATH O_DIRECT O_NOATIME O_RSYNC O_LARGEFILE posix_fadvise
posix_fallocate copy_file_range splice eventfd eventfd_read eventfd_write pipe2 fdatasync getrandom
getxattr listxattr setxattr removexattr setns unshare pidfd_open getresuid getresgid setresuid
setresgid process_cpu_count
""".split()  # noqa: SIM905
GONE_OF_FCNTL = ("F_SETPIPE_SZ", "F_GETPIPE_SZ", "F_OFD_SETLK", "F_OFD_GETLK", "F_ADD_SEALS")
GONE_SIGNALS = ("SIGRTMIN", "SIGRTMAX", "SIGPOLL", "SIGPWR", "SIGSTKFLT", "sigtimedwait")
FULL_SYNC, GET_PATH = 51, 50
_fcntl = fcntl.fcntl


def _of_a_mac(descriptor: Any, command: int, argument: Any = 0) -> Any:
    if command == FULL_SYNC:
        os.fsync(descriptor)
        if counted := os.environ.get("SYNCED"):
            with open(counted, "a") as stream:
                stream.write("synced\n")
        return 0
    if command == GET_PATH:
        path = os.environ.get("SPELLED") or os.readlink(f"/proc/self/fd/{descriptor}")
        return os.fsencode(path).ljust(1024, b"\0")
    return _fcntl(descriptor, command, argument)


def _no_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir", "os.link"):
        path = arguments[0]
        if isinstance(path, str) and path.startswith("/proc"):
            raise FileNotFoundError(2, "no such file or directory", path)


def become() -> None:
    """From here on, for every module that is not loaded yet."""
    for module, names in ((os, GONE), (fcntl, GONE_OF_FCNTL), (signal, GONE_SIGNALS)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    del select.epoll
    fcntl.__dict__.update(F_FULLFSYNC=FULL_SYNC, F_GETPATH=GET_PATH, fcntl=_of_a_mac)
    name = os.uname_result(("Darwin", "mac", "23.6.0", "Darwin Kernel Version 23.6.0", "arm64"))
    os.__dict__["uname"] = lambda: name
    sys.addaudithook(_no_proc)
    sys.platform = "darwin"


if __name__ == "__main__":
    become()
    from gitsession.cli.main import entry

    entry()
