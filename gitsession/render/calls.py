"""A tool call on one line: the tool, and its most informative argument."""

from __future__ import annotations

import json
from collections.abc import Mapping

from gitsession.model.call import Call
from gitsession.render import safe

_TELLING = (
    "command", "cmd", "script", "file_path", "filePath", "notebook_path", "pattern", "query",
    "absolute_path", "path", "url", "skill", "subject", "description", "prompt", "question", "name",
    "id", "commands", "files",
)  # fmt: skip
"""Names of the arguments that identify a call, best first."""

SIGNS = {"ok": "✓", "error": "✗", "interrupted": "!", "open": "…"}
WORDS = {"ok": "ok", "error": "failed", "interrupted": "interrupted", "open": "no result yet"}


def headline(call: Call, width: int = 100) -> str:
    """Return one safe line: `Bash ls -la`."""
    name = safe.short(call.call.name, 60) or "tool"
    about = safe.short(telling(call.call.input), max(width - safe.cells(name) - 2, 10))
    return f"{name}  {about}" if about else name


def telling(arguments: object) -> str:
    """Return the most informative argument as text; "" if there is none."""
    if isinstance(arguments, str):
        return _patched(arguments) or arguments
    if not isinstance(arguments, Mapping):
        return "" if arguments is None else pretty(arguments)
    for name in _TELLING:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
        value = [_place(item) for item in value] if isinstance(value, list) else value
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            in_shell = len(value) == 3 and value[1] in ("-lc", "-c")
            typed = value[2] if in_shell else " ".join(value)
            files = _patched(typed)
            return f"apply_patch {files}" if files else typed
    return _tasks(arguments) or _text(arguments)


def _place(item: object) -> object:
    """Return an item's path if it is one of several files, else the item itself."""
    path = item.get("path") if isinstance(item, Mapping) else None
    return path if isinstance(path, str) else item


def _text(arguments: Mapping[object, object]) -> str:
    """Return a patch's files or a plan's first line, or JSON for arguments of unknown form."""
    for name in ("input", "patch"):
        value = arguments.get(name)
        if isinstance(value, str):
            return _patched(value) or value
    plan = arguments.get("plan")
    if isinstance(plan, str) and plan.strip():
        return plan.strip().split("\n", 1)[0].lstrip("# ")
    return " ".join(pretty(arguments).split()) if arguments else ""


def _tasks(arguments: Mapping[object, object]) -> str:
    """Return `1 of 3 done: Write the tests` for a list of tasks: the one in progress, else the next
    one."""
    found = arguments.get("todos", arguments.get("plan"))
    if not isinstance(found, list) or not found:
        return ""
    rows = [row for row in found if isinstance(row, Mapping) and isinstance(row.get("status"), str)]
    if len(rows) < len(found):
        return ""
    done = sum(row["status"] == "completed" for row in rows)
    under_way = [row for row in rows if row["status"] == "in_progress"]
    left = under_way or [row for row in rows if row["status"] == "pending"]
    what = left[0].get("content") or left[0].get("step") if left else ""
    return f"{done} of {len(rows)} done" + (f": {what}" if isinstance(what, str) and what else "")


def _patched(text: str) -> str:
    """Return the files that a patch names, joined; "" for other text."""
    if "*** Begin Patch" not in text[:200]:  # of the patch itself, or in the shell's apply_patch
        return ""
    marks = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
    files = [row.partition(": ")[2] for row in text.splitlines() if row.startswith(marks)]
    return ", ".join(files)


def pretty(value: object) -> str:
    """Return arguments or a native value as readable JSON; a string unchanged."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except (ValueError, RecursionError):
        return "(nested too deep to be shown)"


def edit(arguments: object) -> tuple[str, str] | None:
    """Return the text that an edit replaces and its replacement, None if the call is not an
    edit."""
    if isinstance(arguments, Mapping):
        for old, new in (("old_string", "new_string"), ("oldString", "newString")):
            before, after = arguments.get(old), arguments.get(new)
            if isinstance(before, str) and isinstance(after, str):
                return before, after
    return None
