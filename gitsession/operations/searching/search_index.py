"""The index of a store's messages; it is brought up to date with the refs at search time only."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from gitsession.agents import registry
from gitsession.errors import FormatError, NotFound, StoreBusy
from gitsession.files import Lock, make_private
from gitsession.operations import read_messages
from gitsession.operations.searching.search_reading import Reader
from gitsession.search import database
from gitsession.search.index import Index
from gitsession.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.model.history import Tip
    from gitsession.model.search import SearchAnswer
    from gitsession.operations.workspace import Workspace

    Progress = Callable[[int, int, str], None]

    class Line(NamedTuple):
        session: str
        title: str
        tips: tuple[Tip, ...]
else:
    Line = namedtuple("Line", "session title tips")
    Line.__doc__ = "A session to be searched, with the tips of its branches, its own first."

_PATIENCE = 86_400.0
"""Seconds to wait for others: a large first search takes minutes, but every one ends."""
_TRIES = 2


def with_index(workspace: Workspace, use: Callable[[Index], SearchAnswer]) -> SearchAnswer:
    """Return what `use` answers with the store's index. A damaged file is deleted and `use` is
    asked once more; if there can be no file, the index is built in memory."""
    stamp = f"{__version__} {workspace.mac(b'the key of a search index')}"
    path = path_of(workspace)
    with _at_work(workspace):
        for _ in range(_TRIES):
            try:
                return _used(workspace, path, stamp, use)
            except (sqlite3.Error, OSError):
                with suppress(OSError), _alone(workspace, path):
                    database.delete(path)
        return _used(workspace, database.MEMORY, stamp, use)


def _used(
    workspace: Workspace, path: str, stamp: str, use: Callable[[Index], SearchAnswer]
) -> SearchAnswer:
    full = database.has_full_text()
    with _alone(workspace, path):
        index = Index(database.opened(path, stamp, full=full), full=full, path=path)
    try:
        return use(index)
    finally:
        index.close()


def _at_work(workspace: Workspace) -> ExitStack:
    """Hold the store while texts are read and written: whatever removes texts for good waits for
    that, and the other way round. Nothing is removed from a store that nobody can write to."""
    deadline = time.monotonic() + _PATIENCE
    held = ExitStack()
    while True:
        try:
            held.enter_context(workspace.store.at_work())
        except StoreBusy:
            if time.monotonic() > deadline:
                raise
        except OSError:
            return held
        else:
            return held


def path_of(workspace: Workspace) -> str:
    """Return the path of this store's index."""
    folder = os.path.join(workspace.environment.folder("cache"), "search")
    return database.path_in(folder, os.path.realpath(workspace.store.folder))


def forget(workspace: Workspace) -> None:
    """Delete the index: what has left the store for good must not be found here either. The caller
    is alone with the store: nobody holds the file."""
    path = path_of(workspace)
    database.delete(path)
    database.sweep(os.path.dirname(path))


@contextmanager
def _alone(workspace: Workspace, path: str) -> Iterator[None]:
    """Let one process at a time create, fill or delete the file."""
    if path == database.MEMORY:
        yield
        return
    make_private(os.path.dirname(path))
    with Lock(database.lock_of(path), _PATIENCE):
        database.name_store(path, os.path.realpath(workspace.store.folder))
        yield


def bring_up(
    workspace: Workspace,
    index: Index,
    lines: Sequence[Line],
    existing: Callable[[str], bool],
    progress: Progress | None,
) -> list[str]:
    """Read what is not yet in the index of these sessions and drop sessions that no longer exist;
    return what could not be read, in sentences."""
    known = index.points()
    gone = [name for name in known if not existing(name)]
    if gone:
        with _alone(workspace, index.path):
            index.drop(gone)
    waiting = [line for line in lines if not _is_current(line, known)]
    with read_messages.unswept():
        return _read(workspace, index, waiting, progress) if waiting else []


def _is_current(line: Line, known: dict[str, dict[str, tuple[str, ...]]]) -> bool:
    points = known.get(line.session, {})
    commits = [tip.id for tip in line.tips]
    if not all(commit in points for commit in commits):
        return False
    return points.keys() == {*commits, *(cut for commit in commits for cut in points[commit])}


def _read(
    workspace: Workspace, index: Index, lines: Sequence[Line], progress: Progress | None
) -> list[str]:
    """Read one session after the other; other processes may read some of them meanwhile."""
    total, done = sum(map(_size, lines)), 0
    reader = Reader(workspace)
    unknown: set[str] = set()
    damaged: list[str] = []
    for line in lines:
        if progress is not None:
            progress(done, total, line.title or line.session)
        try:
            registry.get(_agent(line))
            with _alone(workspace, index.path):
                _read_one(reader, index, line)
        except NotFound:
            unknown.add(line.session)
        except FormatError:
            damaged.append(line.session)
        done += _size(line)
    return list(_notes(len(unknown), damaged))


def _read_one(reader: Reader, index: Index, line: Line) -> None:
    known = index.points(line.session)
    if not _is_current(line, known):
        with index.filling(line.session) as filling:
            reader.read(filling, [tip.id for tip in line.tips], known.get(line.session, {}))


def _notes(unknown: int, damaged: Sequence[str]) -> Iterator[str]:
    if unknown:
        yield f"not searched: {unknown} of agents that are not known here"
    for session in damaged:
        yield f"not searched: {session} cannot be read (gitsession fsck names what is damaged)"


def _size(line: Line) -> int:
    texts = (tip.trailers.get("Bytes", "") for tip in line.tips)
    return sum(int(text) for text in texts if text.isdecimal())


def _agent(line: Line) -> str:
    trailers = line.tips[0].trailers
    return (trailers.get("Native") or trailers.get("Session", "")).partition("/")[0]
