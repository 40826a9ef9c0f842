"""Project files of a Codex session, rebuilt from what it read in full and patched.

Only positions are remembered between two saves: for each file, those of the record with its whole
content and of the patches after it. When such a file is patched again, these records are re-read.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Mapping

from gitsession.agents.codex import patch as codex_patch
from gitsession.agents.codex.commands import Command, call_of, completed, split
from gitsession.agents.codex.records import rows
from gitsession.agents.lenient import list_of, number_of
from gitsession.giants import short
from gitsession.model.record import File

_STEPS = 400
"""Positions remembered in total; the files touched longest ago are forgotten first."""
_FULL_READ = 900_000
_CUT_OUTPUT = re.compile(r"(?:tokens|chars|lines|bytes) (?:truncated|omitted)|\[\.\.\. omitted ")
_UNSAFE = set("$`*?~\n")
_FIRST_LINES = re.compile(r"1,(\d+)p")


class Files:
    """What is known about each file. `cwd` is the session's folder, `line_at` re-reads a record."""

    def __init__(self, cwd: str, line_at: Callable[[int], bytes]) -> None:
        self._cwd = cwd
        self._line_at = line_at
        self._steps: dict[str, list[int]] = {}
        self._contents: dict[str, bytes] = {}
        self._touched: dict[str, File] = {}
        self.active = ""

    def restore(self, carried: object) -> None:
        """Take over what an earlier read remembered (see `carry`)."""
        if isinstance(carried, Mapping):
            for path, steps in carried.items():
                self._steps[str(path)] = [number_of(step) for step in list_of(steps)]

    def carry(self) -> dict[str, object]:
        """Return positions by path, the file touched last at the end."""
        return {path: list(steps) for path, steps in self._steps.items()}

    def close(self) -> tuple[File, ...]:
        """Return the files of this turn as it leaves them; forget what exceeds the limit."""
        touched = tuple(self._touched.values())
        self._touched = {}
        total = sum(map(len, self._steps.values()))
        while total > _STEPS:
            oldest = next(iter(self._steps))
            total -= len(self._steps.pop(oldest))
            self._contents.pop(oldest, None)
        return touched

    def patched(self, call: Command, position: int) -> None:
        """Take in a patch that was applied; `position` is that of the record with the call."""
        for change in codex_patch.parse(call.patch):
            path = self._name(change.path, call.folder)
            moved = self._name(change.move_to, call.folder) if change.move_to else path
            self.active = moved
            if change.kind == "delete":
                self._gone(path, "deleted")
            elif change.kind == "add":
                self._known(path, codex_patch.added(change), [position])
            else:
                self._update(change, path, moved, position)

    def _update(self, change: codex_patch.Change, path: str, moved: str, position: int) -> None:
        before = self._content(path)
        after = codex_patch.apply(change, before) if before is not None else None
        steps = self._steps.get(path, [])
        if moved != path:
            self._gone(path, "deleted")
        if after is None:
            self._gone(moved, "not reconstructable")
        else:
            once = [] if steps[-1:] == [position] else [position]
            self._known(moved, after, [*steps, *once])

    def ran(self, command: Command, output: str, position: int) -> None:
        """Take in a command that succeeded; `position` is that of the record with its output."""
        name = _read_whole(command, output)
        if name:
            path = self._name(name, command.folder)
            self.active = path
            self._known(path, output.encode("utf-8", "replace"), [position])

    def _known(self, path: str, content: bytes, steps: list[int]) -> None:
        self._steps.pop(path, None)
        self._steps[path] = steps
        self._contents[path] = content
        self._touched[path] = File(path, content, size=len(content))

    def _gone(self, path: str, reason: str) -> None:
        self._steps.pop(path, None)
        self._contents.pop(path, None)
        self._touched[path] = File(path, None, reason)

    def _content(self, path: str) -> bytes | None:
        if path not in self._contents and path in self._steps:
            content = self._replay(path)
            if content is None:
                del self._steps[path]
                return None
            self._contents[path] = content
        return self._contents.get(path)

    def _replay(self, path: str) -> bytes | None:
        """Return a file's content after its remembered records; its name may have differed then."""
        whole = os.path.normpath(os.path.join(self._cwd, path))
        steps = [_changes_at(self._line_at(position)) for position in self._steps[path]]
        plans: list[bytes | list[codex_patch.Change]] = []
        for step in reversed(steps):
            fitting = step if isinstance(step, bytes) else _fitting(step, whole)
            plans.append(fitting)
            if not isinstance(fitting, bytes):
                whole = _name_before(fitting, whole)
        content: bytes | None = None
        for plan in reversed(plans):
            content = plan if isinstance(plan, bytes) else _changed(content, plan)
        return content

    def _name(self, path: str, folder: str) -> str:
        """Return a path relative to the session's folder with `/`, absolute if it is outside."""
        whole = os.path.normpath(os.path.join(self._cwd, folder, path))
        root = self._cwd.rstrip("/") + "/"
        return whole.removeprefix(root) if self._cwd else whole


def _changes_at(line: bytes) -> bytes | list[codex_patch.Change]:
    """Return what a remembered record contributes: a whole content, or the changes of a patch."""
    for row in rows(short(line))[0]:
        ended, call = completed(row), call_of(row)
        if ended is not None:
            return ended.output.encode("utf-8", "replace")
        if call is not None and call.patch:
            return codex_patch.parse(call.patch)
    return []


def _fitting(changes: list[codex_patch.Change], whole: str) -> list[codex_patch.Change]:
    """Return the changes of a patch that result in a file with that absolute path."""
    names = [change.move_to or change.path for change in changes]
    best = max((name for name in names if _fits(name, whole)), key=len, default=None)
    return [change for change, name in zip(changes, names, strict=True) if name == best]


def _fits(name: str, whole: str) -> bool:
    # The folder that a relative name refers to is not remembered; comparing its end is enough.
    return os.path.normpath(name) == whole or whole.endswith("/" + _tail(name))


def _name_before(changes: list[codex_patch.Change], whole: str) -> str:
    for change in reversed(changes):
        if change.move_to:
            folder = whole.removesuffix(_tail(change.move_to))
            whole = os.path.normpath(os.path.join(folder, change.path))
    return whole


def _changed(content: bytes | None, changes: list[codex_patch.Change]) -> bytes | None:
    for change in changes:
        if change.kind == "add":
            content = codex_patch.added(change)
        elif content is not None:
            content = codex_patch.apply(change, content)
    return content


def _tail(path: str) -> str:
    parts = [part for part in os.path.normpath(path).split("/") if part not in ("", "..", ".")]
    return "/".join(parts)


def _read_whole(command: Command, output: str) -> str:
    """Return the file whose whole content the output certainly is, "" if that is uncertain."""
    if not command.text.startswith(("cat ", "sed ")):
        return ""
    if len(output) > _FULL_READ or _CUT_OUTPUT.search(output) or "\r\n" in output:
        return ""
    match split(command.text):
        case ["cat", path]:
            pass
        case ["sed", "-n", script, path]:
            first = _FIRST_LINES.fullmatch(script)
            if first is None or output.count("\n") >= int(first.group(1)):
                return ""
        case _:
            return ""
    return "" if path.startswith("-") or _UNSAFE & set(path) else path
