"""Call → Used: what a tool call did, in terms that no agent dictates.

`use(call)` runs once per call; all rules of `events.rules.TOOL_RULES` take its result.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from gitsession.events.tool_names import kind_of
from gitsession.events.used import Used
from gitsession.model.call import Call

PATCH = "*** Begin Patch"
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "fish"))
_PATHS = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "filename",
    "file", "dir_path", "directory",
)  # fmt: skip
_COMMANDS = ("command", "cmd", "commands", "script")
_FOLDERS = ("workdir", "working_directory", "dir_path", "directory", "cwd")
_PATCHES = ("input", "patch", "patchText", "patch_text", "diff")
_TEXTS: dict[str, tuple[str, ...]] = {
    "glob": ("pattern", "glob_pattern", "glob", "include"),
    "grep": ("pattern", "query", "regex", "queries"),
    "task_create": ("subject", "title", "description"),
    "task_update": ("taskId", "task_id", "id"),
    "plan_exit": ("plan", "response"),
    "subagent": ("description", "task_name", "prompt", "message", "task", "instructions",
                 "objective"),
    "skill": ("skill", "name", "skill_name", "command"),
    "ask": ("question", "questions", "prompt"),
    "fetch": ("url", "urls", "prompt", "uri"),
    "web_search": ("query", "queries", "search_term", "q"),
    "worktree": ("name", "branch", "path"),
}  # fmt: skip
"""The most informative arguments, best first. All others are in `Used.input`."""
_IN_LISTS = ("path", "command", "question", "url")
_LARGEST_NUMBER = 10**18
_BY_COMMAND = {"view": "read", "create": "write", "write": "write"}
"""The commands of multi-command editors; any other command is an edit."""


def use(call: Call) -> Used:
    """Return what a call did. `failed` only reflects what the agent says; see `Call.outcome` for
    calls that never returned. Never raises, whatever the arguments are."""
    given = call.call.input
    arguments = {str(key): one for key, one in given.items()} if isinstance(given, Mapping) else {}
    kind = _kind(call, arguments)
    command = _command(given, arguments) if kind == "shell" else ""
    patch = _patch(given, arguments) if kind in ("patch", "shell", "edit") else ""
    if patch:
        kind = "patch"
    if command.startswith(PATCH):
        command = ""
    return Used(
        kind,
        call,
        path="" if kind in ("shell", "patch") else first_text(arguments, _PATHS),
        command=command,
        text=patch or first_text(arguments, _TEXTS.get(kind, ())),
        output=call.result.text if call.result else "",
        failed=call.outcome == "error",
        input=arguments,
    )


def folder(used: Used) -> str:
    """Return the folder that an argument told a shell to run in, "" if none did."""
    where = first_text(used.input, _FOLDERS) if used.command else ""
    return "" if where == "." else where.removeprefix("file://")


def done(used: Used) -> bool:
    """Whether the tool did what it was told: it returned, and without an error."""
    return used.call.outcome == "ok" and not used.failed


def first_text(arguments: Mapping[str, object], keys: tuple[str, ...]) -> str:
    """Return the first of these arguments with a text; of a list, its first item."""
    for key in keys:
        text = _text(arguments.get(key))
        if text:
            return text
    return ""


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)) and value:
        value = value[0]
    if isinstance(value, Mapping):
        value = next((value[key] for key in _IN_LISTS if key in value), "")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < _LARGEST_NUMBER else ""
    return value if isinstance(value, str) else ""


def _kind(call: Call, arguments: Mapping[str, object]) -> str:
    kind = kind_of(call.call.name)
    told = arguments.get("command")
    if kind == "edit" and isinstance(told, str):
        return _BY_COMMAND.get(told, "edit")
    if kind == "edit" and "new_text" in arguments and not arguments.get("old_text"):
        return "edit" if arguments.get("insert_line") is not None else "write"
    if kind == "shell" and not any(key in arguments for key in _COMMANDS):
        return "shell" if isinstance(call.call.input, (str, list)) else "other"
    return kind


def _command(given: object, arguments: Mapping[str, object]) -> str:
    """Return a shell's command as a person would type it."""
    run = next((arguments[key] for key in _COMMANDS if key in arguments), given)
    if isinstance(run, str):
        return run
    if not isinstance(run, (list, tuple)):
        return ""
    words = [word for word in map(_text, run) if word]
    if "commands" in arguments:
        return "\n".join(words)
    if len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1].startswith("-"):
        return words[2]
    if len(words) == 2 and words[0] == "apply_patch":
        return words[1]
    return shlex.join(words)


def _patch(given: object, arguments: Mapping[str, object]) -> str:
    """Return the text that contains a patch, from a patch tool or from a shell that applies one; ""
    if none."""
    if isinstance(given, str):
        told = given
    else:
        told = first_text(arguments, _PATCHES) or _command("", arguments)
    return told if PATCH in told else ""
