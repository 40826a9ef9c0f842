"""Read and write a person's project folder without ever touching anything outside it.

Each component of a path is opened on its own and never through a symbolic link, so a link that
somebody adds in the meantime leads nowhere either.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections import namedtuple
from collections.abc import Iterator

from gitsession.files import sync
from gitsession.operations.exchange import exchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class _Seen(NamedTuple):
        kind: str
        content: bytes | None = None
        mode: int = 0
        stamp: tuple[int, ...] = ()
        size: int = 0
else:
    _Seen = namedtuple("_Seen", "kind content mode stamp size", defaults=(None, 0, (), 0))

CAN_HOLD = hasattr(os, "O_DIRECTORY") and os.open in os.supports_dir_fd
"""Whether this system can open a folder and resolve paths relative to it; Windows cannot."""
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC if CAN_HOLD else 0
_DIRECTORY = _OPEN | os.O_NOFOLLOW if CAN_HOLD else 0
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC if CAN_HOLD else 0
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC if CAN_HOLD else 0
_MARK = ".gitsession-"
RUNS = 0o111
"""A mode that stands for the usual mode of an executable file in its folder."""


class Seen(_Seen):
    """What is at a path. `kind` is file, absent, large (not read), or special (a link, a folder, a
    device, or behind a link). `mode` holds the permission bits; `stamp` changes with every change
    of the file."""

    __slots__ = ()


ABSENT = Seen("absent")
SPECIAL = Seen("special")


class Moved(Exception):
    """The file is no longer the one that was examined; nothing was changed."""


class Folder:
    """An open project folder; close it, or use it in a `with` block. Raises OSError if the path is
    not a folder that can be opened."""

    def __init__(self, path: str) -> None:
        if not CAN_HOLD:
            raise OSError(errno.ENOTSUP, "this system cannot hold a folder open", path)
        self.path = path
        self._root = os.open(path, _OPEN)

    def close(self) -> None:
        os.close(self._root)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def look(self, path: str, most: int = -1) -> Seen:
        """Return what is at a path relative to the folder; a file over `most` bytes is not read."""
        try:
            with self._above(path) as (above, name):
                return _look(above, name, most)
        except (FileNotFoundError, NotADirectoryError):
            return ABSENT if self._may_be_made(path) else SPECIAL
        except (OSError, ValueError):
            return SPECIAL

    def stamp(self, path: str) -> tuple[int, ...]:
        """Return only the stamp, () if the path is not a regular file."""
        try:
            with self._above(path) as (above, name):
                status = os.stat(name, dir_fd=above, follow_symlinks=False)
        except (OSError, ValueError):
            return ()
        return _stamp(status) if stat.S_ISREG(status.st_mode) else ()

    def put(self, path: str, content: bytes, mode: int, seen: Seen) -> None:
        """Replace what was `seen` with new content, entirely or not at all; missing parent folders
        are created.

        `mode` 0 or RUNS stands for the usual mode in that folder. Raises Moved if something else is
        there now, OSError if the path cannot be written.
        """
        with self._above(path, make=True) as (above, name):
            mode = _usual_mode(above, runs=mode == RUNS) if mode in (0, RUNS) else mode
            temporary = f"{_MARK}{secrets.token_hex(6)}"
            descriptor = os.open(temporary, _NEW, 0o600, dir_fd=above)
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(content)
                    stream.flush()
                    os.fchmod(stream.fileno(), mode)
                    sync(stream.fileno())
                _same(above, name, seen)
                if seen.kind == "absent":
                    if not _linked(above, temporary, name):
                        os.rename(temporary, name, src_dir_fd=above, dst_dir_fd=above)
                elif not _exchanged(above, temporary, name, seen):
                    os.rename(temporary, name, src_dir_fd=above, dst_dir_fd=above)
            except FileExistsError as error:
                raise Moved from error
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=above)

    def remove(self, path: str, seen: Seen) -> None:
        """Delete the file that was `seen`, and the folders below this one that are then empty.

        Raises Moved if something else is there now, OSError if it cannot be deleted.
        """
        with self._above(path) as (above, name):
            _same(above, name, seen)
            os.unlink(name, dir_fd=above)
        folders = path.split("/")[:-1]
        while folders:
            try:
                with self._above("/".join(folders)) as (above, name):
                    os.rmdir(name, dir_fd=above)
            except OSError:
                return
            folders.pop()

    @contextlib.contextmanager
    def _above(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder that contains `path`; yield it with the last component of the path."""
        *folders, name = _steps(path)
        current = os.dup(self._root)
        try:
            for folder in folders:
                below = _enter(current, folder, make)
                os.close(current)
                current = below
            yield current, name
        finally:
            os.close(current)

    def _may_be_made(self, path: str) -> bool:
        """Whether an absent path could be created: each parent is a folder, or absent itself."""
        folders = _steps(path)[:-1]
        for depth in range(1, len(folders) + 1):
            try:
                with self._above("/".join(folders[:depth])) as (above, name):
                    os.close(os.open(name, _DIRECTORY, dir_fd=above))
            except FileNotFoundError:
                return True
            except OSError:
                return False
        return True


def is_inside(path: str) -> bool:
    """Whether a stored path is below the project and may be written: not absolute, without `..`,
    and with no component that names a code repository's own folder in any spelling."""
    try:
        steps = _steps(path)
        os.fsencode(path)
    except ValueError:
        return False
    return not any(_is_git(step) for step in steps)


def _is_git(step: str) -> bool:
    from gitsession.snapshot.paths import folded

    plain = folded("".join(c for c in step if c.isprintable())).rstrip(". ").partition(":")[0]
    return plain in (".git", "git~1") or "\\" in step


def _steps(path: str) -> list[str]:
    steps = path.split("/")
    if "\0" in path or any(step in ("", ".", "..") for step in steps):
        raise ValueError("not a path below the project")
    return steps


def _enter(above: int, folder: str, make: bool) -> int:
    try:
        return os.open(folder, _DIRECTORY, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    made = True
    try:
        os.mkdir(folder, 0o700, dir_fd=above)
    except FileExistsError:
        made = False
    below = os.open(folder, _DIRECTORY, dir_fd=above)
    if made:  # explicitly: this program's umask is private
        os.fchmod(below, 0o700 | (os.fstat(above).st_mode & 0o055))
    return below


def _usual_mode(above: int, *, runs: bool) -> int:
    """Return the mode for a new file: whoever may read the folder may read the file, as with a
    person's own umask."""
    mode = 0o600 | (os.fstat(above).st_mode & 0o044)
    return mode | mode >> 2 & 0o111 if runs else mode


def _look(above: int, name: str, most: int) -> Seen:
    try:
        descriptor = os.open(name, _READ, dir_fd=above)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return ABSENT
        return SPECIAL
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            return SPECIAL
        mode = stat.S_IMODE(status.st_mode)
        if 0 <= most < status.st_size:
            return Seen("large", None, mode, _stamp(status), status.st_size)
        data = stream.read()
        return Seen("file", data, mode, _stamp(status), len(data))


def _linked(above: int, temporary: str, name: str) -> bool:
    """Give a new file its name without overwriting one created in the meantime; return False if the
    file system has no hard links. Raises FileExistsError."""
    try:
        os.link(temporary, name, src_dir_fd=above, dst_dir_fd=above, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        return False
    return True


def _exchanged(above: int, temporary: str, name: str, seen: Seen) -> bool:
    """Swap the new file with the old one, then check once more what was replaced; return False if
    the system cannot swap. Raises Moved, with the old file back in its place, if somebody changed
    it since the last check."""
    if not exchange(above, temporary, name):
        return False
    came_out = _stamp(os.stat(temporary, dir_fd=above, follow_symlinks=False))
    if came_out[:3] != seen.stamp[:3]:
        exchange(above, temporary, name)
        raise Moved
    return True


def _same(above: int, name: str, seen: Seen) -> None:
    try:
        status = os.stat(name, dir_fd=above, follow_symlinks=False)
    except FileNotFoundError:
        if seen.kind == "absent":
            return
        raise Moved from None
    if not stat.S_ISREG(status.st_mode) or _stamp(status) != seen.stamp:
        raise Moved


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)
