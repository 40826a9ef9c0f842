"""Commands and patches as Codex runs them: what was called, in which folder, how it ended."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

from gitsession.agents.codex.records import Row, arguments, command_output, exit_code
from gitsession.agents.lenient import list_of, mapping_of, text_of

_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "fish"))
_PATCH_TOOL = "apply_patch"


class Command(NamedTuple):
    """A command or patch.

    `text` is as a person would type it; `folder` is "" for the session's own; `patch` is the text
    that contains a patch, "" if the call is none.
    """

    text: str
    folder: str = ""
    patch: str = ""


class Ended(NamedTuple):
    """The end of a call; `command` is None if only the call's own record contains it."""

    call_id: str
    output: str
    code: int | None
    command: Command | None = None


def call_of(row: Row) -> Command | None:
    """Return the command or patch that a call runs; None for other rows and other tools."""
    if row.kind != "response_item":
        return None
    payload = row.payload
    if row.type == "custom_tool_call" and payload.get("name") == _PATCH_TOOL:
        patch = text_of(payload.get("input"))
        return Command(_PATCH_TOOL, "", patch)
    if row.type not in ("function_call", "local_shell_call"):
        return None
    given = mapping_of(arguments(payload))
    if payload.get("name") == _PATCH_TOOL:
        return Command(_PATCH_TOOL, "", text_of(given.get("input", given.get("patch"))))
    folder = given.get("workdir", given.get("working_directory"))
    return _command(given.get("cmd", given.get("command")), folder)


def _command(run: object, folder: object) -> Command | None:
    if isinstance(run, str):
        text = run
    else:
        words = [str(word) for word in list_of(run)]
        if not words:
            return None
        if words[0].rsplit("/", 1)[-1] in _SHELLS and len(words) == 3:
            text = words[2]
        else:
            text = words[1] if words[0] == _PATCH_TOOL and len(words) == 2 else shlex.join(words)
    where = text_of(folder).removeprefix("file://")
    patch = text if "*** Begin Patch" in text else ""
    return Command(text, "" if where == "." else where, patch)


def split(command: str) -> list[str]:
    """Return a shell command's words, operators as words of their own; [] if it does not parse."""
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        return list(lexer)
    except ValueError:
        return []


def completed(row: Row) -> Ended | None:
    """Return how a call ended, from its output or an event that repeats it; None for other rows."""
    if row.kind == "response_item" and row.type in (
        "function_call_output",
        "custom_tool_call_output",
    ):
        call_id = text_of(row.payload.get("call_id"))
        return Ended(call_id, command_output(row.payload), exit_code(row.payload))
    if row.kind != "event_msg":
        return None
    if row.type == "exec_command_end":
        return _event(row.payload, text_of(row.payload.get("call_id")))
    item = mapping_of(row.payload.get("item"))
    if row.type == "item_completed" and item.get("type") == "CommandExecution":
        return _event(item, text_of(item.get("id")))
    return None


def _event(item: Mapping[str, Any], call_id: str) -> Ended | None:
    output = item.get("aggregated_output")
    if not isinstance(output, str):
        return None
    code = item.get("exit_code")
    command = _command(item.get("command"), item.get("cwd"))
    return Ended(call_id, output, code if isinstance(code, int) else None, command)
