"""How this package handles files: atomic and private writes, locks, reads that tolerate errors."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from types import TracebackType

from gitsession.errors import StoreBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

_CHUNK = 1 << 20
_BUFFER = 128 << 10
"""Read buffer in bytes. Session lines are long: with a smaller one, most are joined from pieces."""
_MARK = ".tmp"
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
BINARY = getattr(os, "O_BINARY", 0)
"""For `os.open` before `os.write`: without it, Windows writes two bytes for each line feed."""
OPEN_FILES_STAY = os.name == "nt"
"""Whether an open file cannot be renamed or deleted, nor a read-only one deleted, as on Windows."""


def replace(
    path: str | os.PathLike[str], data: bytes, mode: int = 0o600, temporary: str = "",
    durable: bool = False,
) -> None:  # fmt: skip
    """Write a whole file so that a reader, even after a kill, sees the old or the new content.

    `temporary` names the file that is written first, in the same folder. `durable` syncs it, so
    that the same holds after a power cut.
    """
    path = os.fspath(path)
    named, temporary = bool(temporary), temporary or f"{path}{_MARK}{os.getpid()}"
    try:
        descriptor = _created(temporary, mode)
    except OSError as error:
        error.filename = path  # the name that readers of the error know
        raise
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            if durable:
                stream.flush()
                sync(descriptor)
        os.replace(temporary, path)
    except BaseException:
        forget(temporary)
        raise
    if not named:
        _forget_dead(path)


def _created(path: str, mode: int) -> int:
    """Open a new file for writing. Where others can write too, they may have put a link at a name
    that can be guessed: it is removed, never followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        return os.open(path, flags, mode)
    except FileExistsError:
        forget(path)  # a link, or left by a dead process with this number
        return os.open(path, flags, mode)


def sync(descriptor: int) -> None:
    """Flush a file to disk. macOS leaves the data in the drive's cache unless asked with
    `F_FULLFSYNC`, which network shares may not support."""
    if _SYNC_THE_DISK_TOO:
        try:
            fcntl.fcntl(descriptor, _SYNC_THE_DISK_TOO)
        except OSError:
            pass
        else:
            return
    os.fsync(descriptor)


def overwrite(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that a person named: in place (following a symlink), keeping its mode (0600 if
    new). Anything but a regular file, such as a pipe or device, is simply written to."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG | 0o600
    if not stat.S_ISREG(mode):
        with open(path, "wb") as stream:
            stream.write(data)
        return
    path = os.path.realpath(path)
    replace(path, data)
    if stat.S_IMODE(mode) != 0o600:
        os.chmod(path, stat.S_IMODE(mode))  # on creation, the umask would have narrowed it


def _forget_dead(path: str) -> None:
    """Remove temporary files left by writers of this file that were killed before renaming them."""
    folder, name = os.path.split(path)
    try:
        for entry in os.listdir(folder or "."):
            number = entry.removeprefix(name + _MARK)
            plain = number != entry and number.isascii() and number.isdigit() and len(number) < 9
            if plain and not _lives(int(number)):
                forget(os.path.join(folder, entry))
    except OSError:
        return


def _lives(process: int) -> bool:
    if os.name == "nt":
        return True  # asking there would kill the process
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def forget(path: str | os.PathLike[str]) -> None:
    """Delete a file if it exists and can be deleted."""
    try:
        if OPEN_FILES_STAY:
            os.chmod(path, 0o600)
        os.unlink(path)
    except OSError:
        return


class Lock:
    """An advisory lock on a file, released by the kernel when its holder dies.

    Waits up to `timeout` seconds, then raises StoreBusy. Not re-entrant. Several holders are
    possible if all of them take it `shared`.
    """

    def __init__(
        self, path: str | os.PathLike[str], timeout: float = 10.0, shared: bool = False
    ) -> None:
        self._path = os.fspath(path)
        self._timeout = timeout
        self._shared = shared
        self._descriptor = -1

    def __enter__(self) -> Lock:
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + self._timeout
        pause = 0.001
        while not _try_lock(self._descriptor, self._shared):
            if time.monotonic() >= deadline:
                os.close(self._descriptor)
                raise StoreBusy(
                    "another gitsession process holds the lock",
                    hint="wait for it to end and run the command again",
                )
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        return self

    @property
    def descriptor(self) -> int:
        """The open lock file while the lock is held; a child that inherits it holds it too."""
        return self._descriptor

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def leave(self) -> None:
        """Release the lock and delete its file, in the order that the system allows."""
        if not OPEN_FILES_STAY:
            forget(self._path)  # before anybody else can take it
        os.close(self._descriptor)
        if OPEN_FILES_STAY:
            forget(self._path)


if os.name == "nt":  # pragma: no cover
    import msvcrt

    _SYNC_THE_DISK_TOO: int = 0

    _SHARES = 64
    """Lockable bytes of a lock file, which need not exist. A shared lock takes one of them, an
    exclusive lock all: Windows has no shared locks without further imports."""

    def _try_lock(descriptor: int, shared: bool) -> bool:
        places = range(_SHARES) if shared else (0,)
        for place in places:
            os.lseek(descriptor, place, os.SEEK_SET)
            try:
                msvcrt.locking(  # type: ignore[attr-defined]
                    descriptor,
                    msvcrt.LK_NBLCK,  # type: ignore[attr-defined]
                    1 if shared else _SHARES,
                )
            except OSError:
                continue
            return True
        return False
else:
    import fcntl

    _SYNC_THE_DISK_TOO = getattr(fcntl, "F_FULLFSYNC", 0)

    def _try_lock(descriptor: int, shared: bool) -> bool:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                return False
            raise
        return True


def read_at(descriptor: int, size: int, position: int) -> bytes:
    """`os.pread`, also where the system has none; moves the position of the descriptor."""
    os.lseek(descriptor, position, os.SEEK_SET)
    return os.read(descriptor, size)


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether it is safe to open: a FIFO or a device would block or have side effects."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def regular(path: str, flags: int) -> int:
    """An `opener` for files that others made. It neither waits for a FIFO nor reads a device, even
    if one has just replaced the file. Raises OSError."""
    descriptor = os.open(path, flags | _WITHOUT_WAITING)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file", path)


def folders_in(path: str | os.PathLike[str]) -> list[str]:
    """Paths of the subfolders of a folder, sorted; [] if it cannot be read. An entry that cannot be
    inspected, such as a symlink to itself or to a forbidden place, does not hide the others."""
    try:
        with os.scandir(path) as entries:
            return sorted(os.fspath(entry.path) for entry in entries if _is_folder(entry))
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def read_range(path: str | os.PathLike[str], start: int, length: int) -> bytes:
    """Read exactly that range; shorter only at the end of the file. Raises OSError."""
    with open(path, "rb", opener=regular) as stream:
        stream.seek(start)
        return stream.read(length)


def lines(path: str | os.PathLike[str], start: int, end: int) -> Iterator[bytes]:
    """Yield the lines of `path` between two byte positions with their `\\n`; the last may lack it.

    Splits at `\\n` bytes only (never at U+2028, `\\r` or NUL). Memory grows with the longest line.
    """
    left = end - start
    with open(path, "rb", buffering=_BUFFER, opener=regular) as stream:
        stream.seek(start)
        while left > 0:
            line = stream.readline(min(left, _CHUNK))
            if len(line) == _CHUNK and line[-1] != 10:
                line = _long_line(stream, left, line)
            if not line:
                return
            left -= len(line)
            yield line


def _long_line(stream: BinaryIO, left: int, begun: bytes) -> bytes:
    """The line that starts with `begun`. Finds its end first, because `readline` would hold a long
    line in memory twice."""
    start = stream.tell() - len(begun)
    length = len(begun)
    while length < left and (chunk := stream.read(min(left - length, _CHUNK))):
        at = chunk.find(b"\n")
        length += len(chunk) if at < 0 else at + 1
        if at >= 0:
            break
    stream.seek(start)
    return stream.read(length)


def make_private(path: str | os.PathLike[str]) -> None:
    """Create a folder that only its owner can enter, with any missing parents."""
    os.makedirs(path, mode=0o700, exist_ok=True)


def read(path: str | os.PathLike[str]) -> bytes:
    """Read a whole small file. Raises OSError."""
    with open(path, "rb", opener=regular) as stream:
        return stream.read()
