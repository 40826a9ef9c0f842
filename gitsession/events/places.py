"""The folder that an event belongs to, and how certain that is."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple

from gitsession.events.tools import folder
from gitsession.events.used import Found, Used
from gitsession.model.session import Info

_OF_FILES = frozenset(("file_read", "file_edit", "file_write", "rule"))
"""Types of events whose data is a path."""
_LONGEST = 4_096
_MOST = 200
_TOO_MUCH = frozenset(("/", "~", ".", ""))
"""Folders that contain everything."""
_WHOLE = re.compile(r"/|[A-Za-z]:[/\\]|~|\\\\")


class Place(NamedTuple):
    project: str
    attribution: str
    confidence: float


class Places:
    """The folders of a session. An event belongs to the folder that contains its path, else to
    that of the shell, else to the session's own. A folder that a shell changed to counts from
    then on."""

    def __init__(self, info: Info) -> None:
        roots = {_clean(root) for root in (info.cwd, *info.roots) if root}
        self._roots = _longest_first(roots)
        self._own = _clean(info.cwd)
        self.session = Place(self._own, "session", 0.5 if self._own else 0.0)
        self._known: dict[tuple[str, str], Place] = {}

    def of(self, used: Used, found: Found, went: str = "") -> Place:
        """Return the place of an event of a tool call; `went` is the folder that the call changed
        to before."""
        path = found.data if found.type in _OF_FILES else used.path
        told = _joined(folder(used), found.data if found.type == "cwd" else went)
        if path and len(path) < _LONGEST:
            known = self._known.get((told, path))
            if known is None:
                known = self._known[told, path] = self._of_path(told, path)
            return known
        return self._of_folder(told) if told else self.session

    def _of_path(self, told: str, path: str) -> Place:
        if not _WHOLE.match(path):
            within = self._of_folder(told) if told else self.session
            return Place(within.project, "path", 0.8) if within.project else within
        clean = _clean(path)
        root = self._root(clean)
        return Place(root, "path", 0.95) if root else Place(posixpath.dirname(clean), "path", 0.6)

    def _of_folder(self, told: str) -> Place:
        whole = _WHOLE.match(told) or not self._own
        clean = _clean(told if whole else f"{self._own}/{told}")
        root = self._root(clean)
        new = not root and _WHOLE.match(clean) and clean not in _TOO_MUCH
        if new and len(self._roots) < _MOST:
            self._roots = _longest_first({*self._roots, clean})
            self._known.clear()
        return Place(root or clean, "cwd", 0.9)

    def _root(self, path: str) -> str:
        for root in self._roots:
            if path == root or path.startswith(f"{root.rstrip('/')}/"):
                return root
        return ""


def _joined(start: str, went: str) -> str:
    if not start or not went or _WHOLE.match(went):
        return went or start
    return f"{start}/{went}"


def _longest_first(roots: set[str]) -> list[str]:
    return sorted(roots, key=lambda root: (-len(root), root))


def _clean(path: str) -> str:
    """Return the path with `/` as separator, without `.` and `..`."""
    return posixpath.normpath(path.replace("\\", "/")) if path else ""
