"""Backups of project files that a command replaced: in the user's state folder, outside any store,
readable by the owner only, kept for 14 days. They hold the files as they were, unredacted."""

from __future__ import annotations

import json
import os
import secrets
import time
from dataclasses import dataclass

from gitsession.errors import Conflict
from gitsession.files import make_private, read, replace, sync
from gitsession.operations.folder import Folder, Moved, Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gitsession.environment import Environment
    from gitsession.operations.workspace import Workspace

KEPT_DAYS = 14
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Write:
    """A file that is to get new content (None: to be removed), and what was seen at its path.
    `mode` 0 keeps the file's mode, or uses the usual one."""

    path: str
    content: bytes | None
    seen: Seen
    mode: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of a backup: its earlier content (None: there was no file) and mode, and the keyed
    hash of what the command wrote ("" if it removed the file)."""

    path: str
    content: bytes | None
    mode: int
    after: str


def folder(environment: Environment) -> str:
    """Return the folder of all backups."""
    return os.path.join(environment.folder("state"), "backups")


def make(workspace: Workspace, root: str, writes: Iterable[Write]) -> str:
    """Back up what the writes will replace, on disk before the first of them; return the backup's
    name. Raises Conflict if it cannot be kept."""
    place = folder(workspace.environment)
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"
    try:
        make_private(place)
        clean(workspace.environment)
        here = os.path.join(place, name)
        os.mkdir(here, 0o700)
        _write(workspace, here, root, list(writes))
    except OSError as error:
        raise Conflict(
            "the files that would be replaced cannot be backed up; nothing was changed",
            hint=f"look at {place}: {os.strerror(error.errno or 0)}",
        ) from error
    return name


def _write(workspace: Workspace, here: str, root: str, writes: list[Write]) -> None:
    rows = []
    for number, write in enumerate(writes):
        if write.seen.content is not None:
            _durably(os.path.join(here, f"{number:05}"), write.seen.content)
        rows.append({
            "path": write.path,
            "file": f"{number:05}" if write.seen.content is not None else "",
            "mode": write.seen.mode,
            "after": workspace.mac(write.content) if write.content is not None else "",
        })  # fmt: skip
    document = {"root": root, "time": int(time.time()), "files": rows}
    _durably(os.path.join(here, _MANIFEST), json.dumps(document, ensure_ascii=True).encode())


def _durably(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        sync(stream.fileno())


def load(environment: Environment, name: str) -> tuple[str, list[Kept]] | None:
    """Return (project folder, files) of a backup; None if it is gone or damaged. The name comes
    from a store's log, and the store may be somebody else's: a name with a path is no backup of
    ours."""
    if name != os.path.basename(name):
        return None
    here = os.path.join(folder(environment), name)
    try:
        document = json.loads(read(os.path.join(here, _MANIFEST)))
        return str(document["root"]), [_kept(here, row) for row in document["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _kept(here: str, row: dict[str, Any]) -> Kept:
    content = read(os.path.join(here, os.path.basename(row["file"]))) if row["file"] else None
    return Kept(str(row["path"]), content, int(row["mode"]), str(row["after"]))


def write(opened: Folder, writes: Iterable[Write]) -> Iterator[tuple[str, str]]:
    """Carry out the writes; yield (path, why) for each file that was left as it is."""
    for one in writes:
        try:
            if one.content is None:
                opened.remove(one.path, one.seen)
            else:
                opened.put(one.path, one.content, one.mode or one.seen.mode, one.seen)
        except Moved:
            yield one.path, "it changed at this very moment"
        except OSError as error:
            yield one.path, os.strerror(error.errno) if error.errno else "cannot be written"


def leave_out(environment: Environment, name: str, paths: Iterable[str]) -> None:
    """Remove files from a backup that were not replaced after all."""
    left = set(paths)
    if not left:
        return
    path = os.path.join(folder(environment), name, _MANIFEST)
    document = json.loads(read(path))
    document["files"] = [row for row in document["files"] if row["path"] not in left]
    replace(path, json.dumps(document, ensure_ascii=True).encode())


def drop(environment: Environment, name: str) -> None:
    """Delete one backup, because the operation it was made for did not happen."""
    import shutil

    shutil.rmtree(os.path.join(folder(environment), name), ignore_errors=True)


def old(environment: Environment) -> list[str]:
    """Return the names of the backups whose time is over, judged by the time in their names."""
    limit = time.strftime("%Y%m%d-%H%M%S", time.gmtime(time.time() - KEPT_DAYS * 86400))
    return [name for name in names(environment) if name < limit]


def names(environment: Environment) -> list[str]:
    """Return the names of all backups, oldest first."""
    try:
        return sorted(os.listdir(folder(environment)))
    except OSError:
        return []


def files(environment: Environment) -> Iterator[str]:
    """Yield the paths of all files in backups."""
    for name in names(environment):
        here = os.path.join(folder(environment), name)
        try:
            yield from (os.path.join(here, entry) for entry in sorted(os.listdir(here)))
        except OSError:
            continue


def clean(environment: Environment) -> None:
    """Delete backups older than 14 days."""
    for name in old(environment):
        drop(environment, name)
