"""The files next to a Claude Code session: subagent streams, spilled outputs, backups, todos."""

from __future__ import annotations

import os
import re

from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.times import utc_time
from gitsession.model.record import Sidecar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitsession.agents.base import Source
    from gitsession.agents.claude_code.records import Row

_SPILLED = rb"tool-results/([0-9A-Za-z][0-9A-Za-z._-]{0,150})"
BACKUP = r"[0-9a-f]{16}@v[0-9]{1,9}"
_TASK = r"[0-9]{1,9}\.json"


class Beside:
    """Sidecars that the records of a turn name, and the session's mutable ones."""

    def __init__(self, source: Source) -> None:
        self._folder = os.path.splitext(source.file)[0]
        self._native_id = source.native_id
        projects = os.path.dirname(os.path.dirname(source.file))
        named = os.path.basename(projects) == "projects"
        self._root = os.path.dirname(projects) if named else None
        self._named: dict[str, str] = {}
        self._copy_of: dict[str, str] = {}

    def see(self, data: bytes, rows: Iterable[Row], floor: str) -> None:
        """Note the sidecars that a record names; backups older than `floor` came earlier."""
        if b"tool-results/" in data:
            for match in re.finditer(_SPILLED, data):
                name = match[1].decode()
                self._named[f"tool-results/{name}"] = os.path.join(
                    self._folder, "tool-results", name
                )
        if b'"file-history-' in data and self._root is not None:
            top = os.path.join(self._root, "file-history", self._native_id)
            for name, original in _backups(rows, floor):
                self._named[f"file-history/{name}"] = os.path.join(top, name)
                self._copy_of[f"file-history/{name}"] = original

    def see_stream(self, name: str) -> None:
        """Note that a subagent's stream began: its description comes along."""
        folder, _, agent = name.rpartition("/")
        path = f"{folder}/agent-{agent}.meta.json"
        self._named[path] = os.path.join(self._folder, path)

    def take(self, *, last: bool) -> tuple[Sidecar, ...]:
        """Return this turn's existing sidecars; mutable ones only with the last turn of a read."""
        named, self._named = self._named, {}
        if last:
            named.update(self._mutable())
        if not named:
            return ()
        from gitsession.agents.side_streams import contents

        found = []
        for path, file in sorted(named.items()):
            data = contents(file)
            if data is not None:
                found.append(Sidecar(path, data, self._copy_of.get(path, "")))
        return tuple(found)

    def _mutable(self) -> Mapping[str, str]:
        if self._root is None:
            return {}
        found: dict[str, str] = {}
        tasks = os.path.join(self._root, "tasks", self._native_id)
        for name in _names(tasks):
            if re.fullmatch(_TASK, name):
                found[f"tasks/{name}"] = os.path.join(tasks, name)
        lead = f"{self._native_id}-agent-"
        todos = os.path.join(self._root, "todos")
        for name in _names(todos):
            if name.startswith(lead) and name.endswith(".json"):
                agent = name[len(lead) : -len(".json")]
                agent = "main" if agent == self._native_id else agent
                found[f"todos/agent-{agent}.json"] = os.path.join(todos, name)
        return found


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _backups(rows: Iterable[Row], floor: str) -> Iterator[tuple[str, str]]:
    """Yield the names of backups with the paths of the files they are copies of."""
    for row in rows:
        tracked = mapping_of(mapping_of(row.get("snapshot")).get("trackedFileBackups"))
        alone = text_of(row.get("trackingPath") or row.get("filePath"))
        for original, backup in (*tracked.items(), (alone, row.get("backup"))):
            told = mapping_of(backup)
            name, time = text_of(told.get("backupFileName")), utc_time(told.get("backupTime"))
            if re.fullmatch(BACKUP, name) and not (time and time <= floor):
                yield name, original
