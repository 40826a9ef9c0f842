"""A tool call in one line: the tool, and the argument that says what it was about."""

from __future__ import annotations

import json
from collections.abc import Mapping

from gitsession.model.call import Call
from gitsession.render import safe

_TELLING = (
    "command", "cmd", "script", "file_path", "filePath", "notebook_path", "pattern", "query",
    "absolute_path", "path", "url", "skill", "subject", "description", "prompt", "name", "id",
)  # fmt: skip
"""Names of arguments by which one knows a call, the best first."""

SIGNS = {"ok": "✓", "error": "✗", "interrupted": "!", "open": "…"}
WORDS = {"ok": "ok", "error": "failed", "interrupted": "interrupted", "open": "no result yet"}


def headline(call: Call, width: int = 100) -> str:
    """`Bash  ls -la`, one safe line."""
    name = safe.short(call.call.name, 60) or "tool"
    about = safe.short(telling(call.call.input), max(width - safe.cells(name) - 2, 10))
    return f"{name}  {about}" if about else name


def telling(arguments: object) -> str:
    """The argument that says most, as text; "" if there is none."""
    if isinstance(arguments, str):
        return _patched(arguments) or arguments
    if not isinstance(arguments, Mapping):
        return "" if arguments is None else pretty(arguments)
    for name in _TELLING:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            in_shell = len(value) == 3 and value[1] in ("-lc", "-c")
            return value[2] if in_shell else " ".join(value)
    for name in ("input", "patch"):
        if isinstance(arguments.get(name), str):
            return _patched(arguments[name]) or arguments[name]
    return " ".join(pretty(arguments).split()) if arguments else ""


def _patched(text: str) -> str:
    """The files that a patch text names, joined."""
    if "*** Begin Patch" not in text[:200]:
        return ""
    marks = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
    files = [row.partition(": ")[2] for row in text.splitlines() if row.startswith(marks)]
    return ", ".join(files)


def pretty(value: object) -> str:
    """Arguments or a native value as readable JSON; a string as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except (ValueError, RecursionError):
        return "(nested too deep to be shown)"


def edit(arguments: object) -> tuple[str, str] | None:
    """What an edit replaces and by what, if the call is one."""
    if isinstance(arguments, Mapping):
        for old, new in (("old_string", "new_string"), ("oldString", "newString")):
            before, after = arguments.get(old), arguments.get(new)
            if isinstance(before, str) and isinstance(after, str):
                return before, after
    return None
