"""Native sessions that we write: placed without touching anything else, recognised while untouched,
and removed only then."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from gitsession.digests import keyed
from gitsession.errors import Conflict
from gitsession.files import make_private, regular

_CHUNK = 1 << 20
TAIL_BYTES = 4096


def keyed_hash(key: bytes, data: bytes) -> str:
    """Return 128 bits in hex, which reveal nothing about the bytes without the key."""
    return keyed(key, data).hex()[:32]


def place(files: Mapping[Path, bytes], home: Path) -> None:
    """Write new files below `home`, in order; each appears whole (mode 0600, folders 0700).

    The main file comes last. Raises Conflict if a file already exists or would be outside `home`;
    the files written so far are then removed again, and nothing else is.
    """
    check_free(files, home)
    done: list[Path] = []
    try:
        for path, data in files.items():
            make_private(path.parent)
            _create(path, data)
            done.append(path)
    except BaseException:
        for path in reversed(done):
            path.unlink(missing_ok=True)
        raise


def check_free(files: Iterable[Path], home: Path) -> None:
    """Raises Conflict if one of the files exists or would be outside the agent's folder."""
    root = os.path.realpath(home)
    for path in files:
        _check_inside(path, root)
        if os.path.lexists(path):
            raise _exists()


def _exists() -> Conflict:
    return Conflict(
        "a native file of that name already exists; nothing was overwritten",
        hint="run the checkout again: it uses a new id",
    )


def _check_inside(path: Path, root: str) -> None:
    parent = os.path.realpath(path.parent)
    inside = parent == root or parent.startswith(root.rstrip(os.sep) + os.sep)
    if not inside or path.name in ("", ".", ".."):
        raise Conflict("the session would be written outside of the agent's own folder")


def _create(path: Path, data: bytes) -> None:
    """Create a file with all its bytes at once: no reader and no kill ever sees a part of it."""
    if _create_nameless(path, data):
        return
    temporary = path.with_name(f".{path.name[:64]}.tmp{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        _appear(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _create_nameless(path: Path, data: bytes) -> bool:
    """Write the file without a name and link it once it is complete, so that a kill leaves nothing
    among the agent's files; return False if the file system has no unnamed files (O_TMPFILE)."""
    kind = getattr(os, "O_TMPFILE", 0)
    if not kind:
        return False
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        descriptor = os.open(path.parent, os.O_WRONLY | kind, 0o600)
    except OSError:
        os.close(folder)
        return False
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.link(f"/proc/self/fd/{descriptor}", path.name, dst_dir_fd=folder)
    except FileExistsError:
        raise _exists() from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        return False
    finally:
        os.close(folder)
    return True


def _appear(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise _exists() from None
    except OSError:  # a file system without hard links
        if path.exists():
            raise _exists() from None
        os.rename(temporary, path)


def is_untouched(path: str, size: int, mac: str, key: bytes) -> bool:
    """Whether the file still holds exactly the bytes that checkout wrote."""
    return prefix_mac(path, size, key) == mac and os.path.getsize(path) == size


def prefix_mac(path: str, size: int, key: bytes) -> str:
    """Return the keyed hash of the first `size` bytes, "" if the file is shorter or unreadable."""
    import hmac

    state = hmac.new(key, digestmod="sha256")
    left = size
    try:
        with open(path, "rb", opener=regular) as stream:
            while left:
                block = stream.read(min(_CHUNK, left))
                if not block:
                    return ""
                state.update(block)
                left -= len(block)
    except OSError:
        return ""
    return state.hexdigest()[:32]


def remove(paths: list[str], home: Path) -> None:
    """Delete files that we wrote, and folders below the agent's own that become empty."""
    root = os.path.realpath(home)
    for path in paths:
        try:
            _check_inside(Path(path), root)
            os.unlink(path)
        except (OSError, Conflict):
            continue
        folder = os.path.dirname(path)
        while os.path.realpath(folder).startswith(root + os.sep):
            try:
                os.rmdir(folder)
            except OSError:
                break
            folder = os.path.dirname(folder)
