"""What each agent needs to call gitsession at the end of a turn: the command line and its place.

A table of values; `operations.hooks` writes them into the agent's settings and removes them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gitsession.agents import hook_files
from gitsession.agents.claude_code import find as claude_find
from gitsession.agents.codex import find as codex_find
from gitsession.agents.opencode_family import KILO, OPENCODE, Member, settings_folder
from gitsession.agents.pi import find as pi_find
from gitsession.environment import Environment
from gitsession.files import read

MARK = '"$0" save --auto --hook "$1"'
"""Part of every line of ours and of nobody else's: `uninstall` recognises our lines by it."""

START_MARK = '"$0" snapshot --hook "$1"'
"""The same for the line that an agent waits for at the start of a session, to get an answer."""

_MARKS = tuple(text for mark in (MARK, START_MARK) for text in (mark, json.dumps(mark)[1:-1]))
_START_SECONDS = 5
"""After this time an agent continues without an answer; gitsession gives up before that."""

_SHELL = (
    "hook=${2-$(cat)}; "
    'if [ -x "$0" ]; then { trap "" HUP; '
    f'printf %s "$hook" | $(command -v nice) {MARK}; }} </dev/null >/dev/null 2>&1 & fi; '
)
"""Reads what the agent says (from standard input or the last argument), starts gitsession in the
background at a lower priority and with none of the agent's streams open, and exits. A shell without
job control makes its background processes ignore the terminal's interrupts; the trap makes them
ignore its hang-up too."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One element of an array in a JSON settings file; `path` leads to the array."""

    file: Path
    path: tuple[str, ...]
    element: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """One `key = [words]` at the top of a TOML settings file, added only if the key is not set."""

    file: Path
    key: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A whole file of ours in a folder that the agent reads."""

    file: Path
    text: str
    executable: bool = False


Part = Entry | Line | OwnFile


@dataclass(frozen=True, slots=True)
class Hooking:
    """How one agent is hooked.

    `folder` exists if the agent is installed. `parts(folder, program, tools)` says what goes where;
    `tools` adds the events inside a turn. `note` is what the user must know. `start(folder,
    program)` is what gives the agent a snapshot, None if it takes none.
    """

    folder: Callable[[Environment], Path]
    parts: Callable[[Path, str, bool], tuple[Part, ...]]
    note: str = ""
    start: Callable[[Path, str], tuple[Part, ...]] | None = None


def command(program: str, agent: str, answer: str = "") -> str:
    """Return the command line of a hook. It never changes: Codex trusts a line by its hash."""
    return shlex.join(_words(program, agent, answer))


def start_command(program: str, agent: str) -> str:
    """Return the command line that gives a snapshot: it prints gitsession's answer or nothing."""
    line = f'if [ -x "$0" ]; then {START_MARK} 2>/dev/null; else cat >/dev/null; fi; exit 0'
    return shlex.join(("sh", "-c", line, program, agent))


def _words(program: str, agent: str, answer: str = "") -> tuple[str, ...]:
    said = f"echo {shlex.quote(answer)}; " if answer else ""
    return ("sh", "-c", f"{_SHELL}{said}exit 0", program, agent)


def _claude(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    hook = {"type": "command", "command": command(program, "claude-code"), "timeout": 10}
    events = ("Stop", "PreCompact", "SessionEnd", *(("PostToolUse",) if tools else ()))
    return _groups(folder / "settings.json", events, hook)


def _codex(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    """Use `notify`, which Codex does not wait for, at the end of a turn.

    The `Stop` hook, which Codex does wait for, is installed only if `notify` already calls
    something of the user's.
    """
    hook = {"type": "command", "command": command(program, "codex")}
    config = folder / "config.toml"
    ends = ("Stop",) if _notify_is_theirs(config) else ()
    events = (*ends, "PreCompact", *(("PostToolUse",) if tools else ()))
    notify = Line(config, "notify", _words(program, "codex"))
    return (*_groups(folder / "hooks.json", events, hook), notify)


def _notify_is_theirs(config: Path) -> bool:
    from gitsession.agents.settings_line import parse

    try:
        value = parse(read(config).decode()).get("notify")
    except (OSError, ValueError):  # an unreadable file is refused later, when it is to be written
        return False
    return value is not None and not is_ours(value)


def _gemini(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    line = command(program, "gemini", "{}")
    hook = {"name": "gitsession", "type": "command", "command": line, "timeout": 10_000}
    events = ("AfterAgent", "SessionEnd", *(("AfterTool",) if tools else ()))
    return _groups(folder / "settings.json", events, hook, matcher="*")


def _qwen(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    hook = {"type": "command", "command": command(program, "qwen")}
    events = ("Stop", "PreCompact", *(("PostToolUse",) if tools else ()))
    return _groups(folder / "settings.json", events, hook, matcher="*")


def _start(agent: str, file: str, matcher: str = "") -> Callable[[Path, str], tuple[Part, ...]]:
    def parts(folder: Path, program: str) -> tuple[Part, ...]:
        line = start_command(program, agent)
        hook = {"type": "command", "command": line, "timeout": _START_SECONDS}
        return _groups(folder / file, ("SessionStart",), hook, matcher)

    return parts


def _groups(
    file: Path, events: tuple[str, ...], hook: Mapping[str, object], matcher: str = ""
) -> tuple[Part, ...]:
    """Return entries in the shape introduced by Claude Code: per event a list of hook groups."""
    group = {**({"matcher": matcher} if matcher else {}), "hooks": [dict(hook)]}
    return tuple(Entry(file, ("hooks", event), group) for event in events)


def _copilot(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    events = ("agentStop", "preCompact", "sessionEnd", *(("postToolUse",) if tools else ()))
    text = hook_files.copilot(command(program, "copilot"), events)
    return (OwnFile(folder / "hooks" / "gitsession.json", text),)


def _cline(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    events = ("TaskComplete", *(("PostToolUse",) if tools else ()))
    text = hook_files.script(command(program, "cline", "{}"))
    return tuple(OwnFile(folder / "hooks" / event, text, executable=True) for event in events)


def _plugin(member: Member) -> Callable[[Path, str, bool], tuple[Part, ...]]:
    def parts(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
        text = hook_files.opencode(program, tools, member.name)
        return (OwnFile(folder / "plugin" / "gitsession.js", text),)

    return parts


def _pi(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    text = hook_files.pi(program, tools)
    return (OwnFile(folder / "extensions" / "gitsession.ts", text),)


HOOKINGS: dict[str, Hooking] = {
    "claude-code": Hooking(
        claude_find.home, _claude, start=_start("claude-code", "settings.json")
    ),
    "codex": Hooking(
        codex_find.home, _codex,
        "Codex will ask once whether it may run the hooks in hooks.json; notify works without that",
        _start("codex", "hooks.json"),
    ),
    "gemini": Hooking(lambda environment: environment.home / ".gemini", _gemini),
    "qwen": Hooking(
        lambda environment: environment.home / ".qwen", _qwen,
        start=_start("qwen", "settings.json", "*"),
    ),
    "copilot": Hooking(lambda environment: environment.home / ".copilot", _copilot),
    "cline": Hooking(lambda environment: environment.home / ".cline", _cline),
    "opencode": Hooking(
        partial(settings_folder, OPENCODE), _plugin(OPENCODE),
        "with a plugin, OpenCode downloads its plugin package once; offline, it starts slowly",
    ),
    "kilo": Hooking(partial(settings_folder, KILO), _plugin(KILO)),
    "pi": Hooking(pi_find.home, _pi),
}  # fmt: skip
"""By the name of the adapter."""


def is_ours(value: object) -> bool:
    """Whether an element of a settings file, or the text of a file, calls our line."""
    rest = [value]
    while rest:  # no recursion: somebody else's value may be nested beyond the recursion limit
        one = rest.pop()
        if isinstance(one, str):
            if any(mark in one for mark in (*_MARKS, hook_files.TITLE)):
                return True
        elif isinstance(one, Mapping):
            rest += one.values()
        elif isinstance(one, list):
            rest += one
    return False
