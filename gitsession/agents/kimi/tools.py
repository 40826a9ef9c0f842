"""Kimi Code's tools in the terms of `work`, and their output without line numbers."""

from __future__ import annotations

import re
from typing import Any

from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.work import Call, Result

_NAMES = {
    "Bash": "bash",
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "TodoList": "todo_write",
}
_LINE = re.compile(r"(\d+)\t(.*)")
_WHOLE = ("starting from line 1.", "End of file reached.")
"""What the agent adds to a file that it showed from beginning to end."""
_STATUS = {"done": "completed"}


def as_call(name: str, arguments: object) -> Call:
    given = mapping_of(arguments)
    if name == "TodoList":
        if not isinstance(given.get("todos"), list):
            return Call("TodoList", given)  # it only reads the list
        return Call("todo_write", {"todos": [_todo(item) for item in list_of(given["todos"])]})
    if name == "Write" and given.get("mode") == "append":
        return Call("edit", {"path": given.get("path")})
    return Call(_NAMES.get(name, name), given)


def _todo(item: object) -> dict[str, Any]:
    told = mapping_of(item)
    status = text_of(told.get("status"))
    return {"content": told.get("title"), "status": _STATUS.get(status, status)}


def as_result(call: Call, told: dict[str, Any], output: str, failed: bool) -> tuple[Call, Result]:
    """Return a call and its result; a file shown in part, or too long, does not count as whole."""
    if call.name != "read" or failed:
        return call, Result(output, failed)
    text = _unnumbered(output)
    note = text_of(told.get("note"))
    if text is None or not all(words in note for words in _WHOLE):
        return Call(call.name, {**call.arguments, "limit": 1}), Result(output)
    arguments = {key: call.arguments[key] for key in ("path",) if key in call.arguments}
    return Call(call.name, arguments), Result(text)


def _unnumbered(output: str) -> str | None:
    """Return a shown file without the numbers before its lines, None if it is not such a file."""
    if not output:
        return ""
    found = [_LINE.fullmatch(row) for row in output.split("\n")]
    lines = [row[2] for number, row in enumerate(found, 1) if row and int(row[1]) == number]
    return "".join(f"{line}\n" for line in lines) if len(lines) == len(found) else None
