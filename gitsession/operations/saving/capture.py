"""capture.files: changed. Whatever in the project differs from its code repository is stored with
the newest turn of a save, no matter what changed it: tools, shell commands, or a person."""

from __future__ import annotations

import os
import stat
import time

from gitsession import project
from gitsession.agents import base
from gitsession.model.record import File
from gitsession.model.session import Session, Turn
from gitsession.operations.folder import CAN_HOLD, Folder, is_inside
from gitsession.project import changes
from gitsession.project.changes import Change
from gitsession.snapshot import layout
from gitsession.snapshot.paths import unescape_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gitsession.agents.base import Agent, Source
    from gitsession.operations.saving.grown import Grown
    from gitsession.operations.saving.line import Line
    from gitsession.operations.workspace import Workspace

MOST_FILES = 5000
"""How many files one save reads."""
OVER = "over the limit of one save"
_UNSURE = 2.0
"""Seconds within which a file can change without a change of its time stamp."""


class Capture:
    """The capture of one save of `line`; `grown` is what that save has made so far."""

    def __init__(
        self, workspace: Workspace, agent: Agent, source: Source, line: Line, grown: Grown
    ) -> None:
        self._workspace = workspace
        self._line = line
        self._grown = grown
        self._may = _is_at_home(workspace, agent, source)
        self._known: set[str] = set()
        self._stored: set[str] = set()
        self._reasons: dict[str, str] = {}
        self._stamps: dict[str, list[int]] = {}
        self._begun = time.time()

    def add(self, fates: Iterable[tuple[Session, str]]) -> Iterator[tuple[Session, str]]:
        """Yield the same turns; the newest one with a message holds the files as they are now."""
        held: list[tuple[Session, str]] = []
        for part, fate in fates:
            if (part.turn or Turn()).messages:
                yield from held
                held = []
            held.append((part._replace(info=part.info._replace(changed_from="")), fate))
        for number, (part, fate) in enumerate(held):
            if number or not self._may:
                yield part, fate
                continue
            with_files = self._with_files(part)
            if fate != "version" or not (part.turn or Turn()).finished:
                self._stamps = {}  # no later save builds on it
            yield with_files, fate

    def remember(self) -> None:
        """Record which files the newest finished version holds as they are on disk: the next save
        only reads the others."""
        grown = self._grown
        if self._stamps and grown.tip and grown.tip == grown.base:
            value = {"commit": grown.tip, "time": self._begun, "files": self._stamps}
            name = self._workspace.names.clean(grown.branch)
            self._workspace.store.records.write("captured", name, value)

    def _with_files(self, part: Session) -> Session:
        folder = part.info.cwd
        if not CAN_HOLD or not os.path.isabs(folder) or not os.path.isdir(folder):
            return part
        if self._is_refused(folder):
            return part
        found = self._changes(folder)
        if found is None:
            return part
        anchor, rows = found
        self._look_back(anchor)
        with Folder(folder) as opened:
            files, originals = self._contents(opened, part, rows)
        info = part.info._replace(changed_from=anchor)
        return part._replace(info=info, files=files, originals=originals)

    def _is_refused(self, folder: str) -> bool:
        """Whether the folder is or contains the user's home or the store: then it is no project."""
        place = os.path.realpath(folder).rstrip("/") + "/"
        held = (self._workspace.environment.home_folder, self._workspace.store.folder)
        return any((os.path.realpath(one) + "/").startswith(place) for one in held)

    def _anchor(self) -> str:
        head = self._line.head
        return head.session.info.changed_from if head else ""

    def _changes(self, folder: str) -> tuple[str, list[Change]] | None:
        """Return the commit that everything of this line is compared with, and what differs from
        it. It is that of the first capture, so that what was committed meanwhile is a change too.
        """
        now = project.code_commit(folder) or changes.EMPTY_TREE
        for commit in dict.fromkeys((self._anchor() or now, now)):
            rows = changes.changes(folder, commit, self._workspace.environment)
            if rows is not None:
                return commit, rows
        return None

    def _look_back(self, anchor: str) -> None:
        """Read which contents and originals the previous version has, and why it lacks others."""
        grown = self._grown
        if grown.head is not None:
            self._reasons = {file.path: file.reason for file in grown.head.session.files}
        if not grown.tree:
            return
        tree = self._workspace.store.tree(grown.tree)
        for below, paths in ((layout.FILES, self._known), (layout.ORIGINALS, self._stored)):
            for path, _ in tree.walk(below.rstrip("/")):
                paths.add(unescape_file(path.removeprefix(below)))
        if anchor != self._anchor():
            self._stored = set()

    def _contents(
        self, folder: Folder, part: Session, rows: Iterable[Change]
    ) -> tuple[tuple[File, ...], tuple[File, ...]]:
        """Return the files as they are now, and the originals of those that the commit has."""
        told = {file.path: file for file in part.files}
        tracked = {row.path: row for row in rows if is_inside(row.path)}
        before = sorted(self._known | self._reasons.keys())
        paths = dict.fromkeys(path for path in (*told, *before, *tracked) if is_inside(path))
        originals = self._originals(folder.path, tracked)
        read = _Reading(self._workspace, folder, {} if told else self._unchanged())
        made = {path: file for path, file in told.items() if path not in paths}
        for path in paths:
            row = tracked.get(path) or Change(path)
            file = read.file(path, told.get(path), row.plain)
            if file is not None and not self._is_no_news(file, row, originals.get(path)):
                made[path] = file
        self._stamps = read.stamps
        kept = (path for path in sorted(originals) if path in made or path in self._known)
        return tuple(made.values()), tuple(
            File(path, originals[path], "", len(originals[path]), _runs(tracked, path))
            for path in kept
        )

    def _originals(self, folder: str, tracked: Mapping[str, Change]) -> dict[str, bytes]:
        wanted = {
            path: row.original
            for path, row in tracked.items()
            if row.original and path not in self._stored
        }
        limit = self._workspace.config["capture.max_file_bytes"]
        found = changes.blobs(folder, wanted.values(), limit, self._workspace.environment)
        return {path: found[name] for path, name in wanted.items() if name in found}

    def _is_no_news(self, file: File, row: Change, original: bytes | None) -> bool:
        """Whether the file is as the commit has it (git judged by its time), or is gone and no
        version or commit had it."""
        if file.path in self._known:
            return False
        if file.path in self._reasons:
            return file.reason == self._reasons[file.path] and file.content is None
        if file.reason == "deleted":
            return not row.original
        return (
            original is not None
            and file.executable == row.original_runs
            and file.content in (original, original.replace(b"\n", b"\r\n"))
        )

    def _unchanged(self) -> Mapping[str, Any]:
        """Return the stamps of files that the previous version holds as they were at its time."""
        base = self._line.base
        if not base or self._grown.base != base:
            return {}
        record = self._workspace.store.records.read("captured", self._line.branch) or {}
        stamps, begun = record.get("files"), record.get("time")
        if record.get("commit") != base or not isinstance(begun, int | float):
            return {}
        if not isinstance(stamps, dict):
            return {}
        limit = (begun - _UNSURE) * 1e9
        return {
            name: stamp
            for name, stamp in stamps.items()
            if isinstance(stamp, list) and stamp and stamp[0] < limit
        }


def _runs(tracked: Mapping[str, Change], path: str) -> bool:
    return tracked[path].original_runs


class _Reading:
    """Reads files within one save's limits. `stamps` covers files that were read or unchanged."""

    def __init__(self, workspace: Workspace, folder: Folder, unchanged: Mapping[str, Any]) -> None:
        self._workspace = workspace
        self._folder = folder
        self._unchanged = unchanged
        self._limit = workspace.config["capture.max_file_bytes"]
        self._left = workspace.config["capture.max_save_bytes"]
        self._files = MOST_FILES
        self.stamps: dict[str, list[int]] = {}

    def file(self, path: str, told: File | None, plain: bool) -> File | None:
        """Return the file as it is now, None if the previous version already holds that."""
        name = self._workspace.mac(path.encode("utf-8", "surrogateescape"))[:16]
        stamp = list(self._folder.stamp(path))
        if stamp and stamp == self._unchanged.get(name):
            self.stamps[name] = stamp
            return None
        if self._files <= 0 or self._left <= 0:
            return told or File(path, None, OVER, stamp[1] if stamp else 0)
        self._files -= 1
        seen = self._folder.look(path, self._limit)
        if seen.kind == "absent":
            return File(path, None, "deleted")
        if seen.kind == "special" or not plain:
            return File(path, None, "special")
        if seen.content is None:
            return File(path, None, "too large", seen.size)
        if seen.size > self._left:
            return File(path, None, OVER, seen.size)
        self._left -= seen.size
        self.stamps[name] = list(seen.stamp)
        return File(path, seen.content, "", seen.size, bool(seen.mode & stat.S_IXUSR))


def _is_at_home(workspace: Workspace, agent: Agent, source: Source) -> bool:
    """Whether the agent keeps the session here: only then does it say anything about the folder as
    it is now."""
    if source.data is not None:
        return False
    return base.is_at_home(agent, workspace.environment, source.file)
