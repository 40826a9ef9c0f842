"""The program in an interpreter that lacks what Windows lacks: `python no_posix.py VERB …`.

The standard library keeps the real `os`; everything imported later gets one whose name is "nt",
without the calls that exist on POSIX only, and which refuses what Windows refuses: to remove or
rename an open file, to remove a read-only one, to rename onto one with `rename`, to open a folder.
A descriptor opened without O_BINARY turns each line feed into two bytes, as there.
It is still no Windows: paths, devices, console and the git program are those of this system.
"""

from __future__ import annotations

import argparse  # noqa: F401 - these are loaded before `os` is another one
import ctypes
import difflib  # noqa: F401
import errno
import fcntl
import gzip  # noqa: F401
import hashlib  # noqa: F401
import importlib.metadata
import json  # noqa: F401
import mmap  # noqa: F401
import os
import pathlib
import platform  # noqa: F401
import secrets
import shutil
import signal
import sqlite3  # noqa: F401
import stat
import subprocess
import sys
import tempfile  # noqa: F401
import types
import zipfile  # noqa: F401
from typing import Any

import platformdirs.unix

GONE_MODULES = ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "posix")
GONE = """
fork forkpty posix_spawn posix_spawnp POSIX_SPAWN_OPEN POSIX_SPAWN_CLOSE POSIX_SPAWN_DUP2 fchmod
fchown chown lchown pread preadv pwrite pwritev readv writev getuid geteuid getgid getegid getgroups
WNOHANG WIFEXITED WEXITSTATUS WIFSIGNALED WTERMSIG O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK
O_TMPFILE O_SYNC O_DSYNC statvfs fstatvfs nice setsid getsid setpgid setpgrp getpgid getpgrp killpg
mkfifo mknod uname sched_getaffinity sched_setaffinity sysconf sendfile copy_file_range
posix_fadvise posix_fallocate fdatasync sync openpty ttyname ctermid tcgetpgrp chroot fchdir
register_at_fork getloadavg memfd_create pipe2 wait wait3 wait4 waitid confstr pathconf fpathconf
""".split()  # noqa: SIM905
GONE_SIGNALS = ("SIGKILL", "SIGHUP", "SIGPIPE", "SIGALRM", "SIGCHLD", "SIGUSR1", "pthread_sigmask")
_BINARY = 1 << 30
_text: set[int] = set()


def _is_open(path: str) -> bool:
    """Whether this process has it open, or something in it."""
    path = os.path.realpath(path)
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            continue
        if target == path or target.startswith(path + "/"):
            return True
    return False


def _refuse(path: Any, read_only_too: bool) -> None:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    read_only = read_only_too and stat.S_ISREG(mode) and not mode & stat.S_IWUSR
    if read_only or _is_open(os.fspath(path)):
        raise PermissionError(errno.EACCES, "held open, or read-only", os.fspath(path))


def _no_folders(more: dict[str, Any]) -> None:
    if any(name.endswith("dir_fd") and value is not None for name, value in more.items()):
        raise NotImplementedError("dir_fd unavailable on this platform")


def _open(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
    _no_folders(more)
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "a folder", os.fspath(path))
    mode = 0o600 if mode & stat.S_IWUSR else 0o400
    descriptor = os.open(path, flags & ~_BINARY, mode)
    (_text.discard if flags & _BINARY else _text.add)(descriptor)
    return descriptor


def _fdopen(descriptor: int, *arguments: Any, **more: Any) -> Any:
    _text.discard(descriptor)
    return os.fdopen(descriptor, *arguments, **more)


def _write(descriptor: int, data: Any) -> int:
    if descriptor not in _text:
        return os.write(descriptor, data)
    os.write(descriptor, bytes(data).replace(b"\n", b"\r\n"))
    return len(data)


def _close(descriptor: int) -> None:
    _text.discard(descriptor)
    os.close(descriptor)


def _unlink(path: Any, **more: Any) -> None:
    _no_folders(more)
    _refuse(path, True)
    os.unlink(path)


def _replace(source: Any, target: Any, **more: Any) -> None:
    _no_folders(more)
    _refuse(source, False)
    _refuse(target, True)
    os.replace(source, target)


def _rename(source: Any, target: Any, **more: Any) -> None:
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "already there", os.fspath(target))
    _replace(source, target, **more)


def _chmod(path: Any, mode: int, **more: Any) -> None:
    if isinstance(path, int):
        raise TypeError("chmod: path should be string, bytes or os.PathLike, not int")
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | 0o600 if mode & 0o200 else 0o400)


def _stat(path: Any, **more: Any) -> os.stat_result:
    _no_folders(more)
    return os.stat(path, **more)


def _locking(descriptor: int, mode: int, count: int) -> None:
    """By byte range from where the descriptor stands; held against every other descriptor."""
    start = os.lseek(descriptor, 0, os.SEEK_CUR)
    kind = fcntl.F_WRLCK if mode else fcntl.F_UNLCK
    lock = _struct_flock(kind, start, count)
    try:
        fcntl.fcntl(descriptor, 37, lock)  # F_OFD_SETLK
    except BlockingIOError as error:
        raise PermissionError(errno.EACCES, "locked") from error


def _struct_flock(kind: int, start: int, count: int) -> bytes:
    import struct

    return struct.pack("hhqqi4x", kind, os.SEEK_SET, start, count, 0)


def become() -> None:
    """From here on, for every module that is not loaded yet."""
    other = types.ModuleType("os")
    other.__dict__.update({name: value for name, value in vars(os).items() if name not in GONE})
    other.__dict__.update(
        name="nt", O_BINARY=_BINARY, open=_open, fdopen=_fdopen, write=_write, close=_close,
        unlink=_unlink, remove=_unlink, replace=_replace, rename=_rename, chmod=_chmod, stat=_stat,
        supports_dir_fd=set(),
    )  # fmt: skip
    locking = types.ModuleType("msvcrt")
    locking.__dict__.update(locking=_locking, LK_NBLCK=2, LK_LOCK=1, LK_UNLCK=0)
    for name in GONE_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in GONE_SIGNALS:
        delattr(signal, name)
    # From Python 3.12 on `shutil.which` asks Windows itself whether it looks into the folder first.
    shutil.__dict__["_winapi"] = types.SimpleNamespace(NeedCurrentDirectoryForExePath=bool)
    sys.modules["os"], sys.modules["msvcrt"] = other, locking
    sys.platform = "win32"


if __name__ == "__main__":
    del ctypes, pathlib, secrets, subprocess, importlib, platformdirs
    become()
    from gitsession.cli.main import entry

    entry()
