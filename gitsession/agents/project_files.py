"""A session's project files and tool outputs, as values of the model."""

from __future__ import annotations

import posixpath

from gitsession.agents.lenient import whole_text
from gitsession.model.record import File

_LOST = "not reconstructable"
_SNIPPET = 2000


def file_of(path: str, content: str | None, root: str) -> File:
    name = relative(path, root)
    if content is None:
        return File(name, None, _LOST)
    data = whole_text(content).encode()
    return File(name, data, size=len(data))


def relative(path: str, root: str) -> str:
    """Return `path` relative to `root` with `/` if it is below it, else as it is (normalised)."""
    if root and not path.startswith(("/", "\\")) and ":" not in path[:3]:
        path = posixpath.join(root, path)
    path = posixpath.normpath(path) if path.startswith("/") else path
    base = posixpath.normpath(root).rstrip("/") if root else ""
    if base.startswith("/") and path.startswith(base + "/"):
        return path[len(base) + 1 :]
    return path


def snippet(output: str) -> str:
    """Return the end of an output, in whole lines.

    Never part of a line or of a key block: no scanner recognises half a secret, so it is left out
    rather than cut.
    """
    if len(output) <= _SNIPPET:
        return output
    if "PRIVATE KEY" in output or "BEGIN " in output:
        return ""
    tail = output[-_SNIPPET:]
    return tail.partition("\n")[2]
