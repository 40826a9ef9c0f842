"""What each agent needs in order to call gitsession at a turn's end: the line, and where it stands.

A table of values; `operations.hooks` writes them into the agent's settings and takes them out.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gitsession.agents import hook_files
from gitsession.agents.claude_code import find as claude_find
from gitsession.agents.codex import find as codex_find
from gitsession.agents.pi import find as pi_find
from gitsession.environment import Environment
from gitsession.files import read

MARK = '"$0" save --auto --hook "$1"'
"""What every line of ours holds and nobody else's does: by it `uninstall` knows its own."""

START_MARK = '"$0" snapshot --hook "$1"'
"""The same in the line that an agent waits for at a session's start, since it takes an answer."""

_MARKS = tuple(text for mark in (MARK, START_MARK) for text in (mark, json.dumps(mark)[1:-1]))
_START_SECONDS = 5
"""After so long an agent goes on without an answer; gitsession gives up before that."""

_SHELL = (
    "hook=${2-$(cat)}; "
    'if [ -x "$0" ]; then { trap "" HUP; '
    f'printf %s "$hook" | $(command -v nice) {MARK}; }} </dev/null >/dev/null 2>&1 & fi; '
)
"""Reads what the agent says (on standard input, or as the last argument), starts gitsession in the
background with nothing of the agent's open and behind it in the queue for the processor, and is
done. What a shell without job control starts in the background ignores the interrupts of the
terminal; the trap adds its hanging up."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One element of an array in a JSON settings file; `path` leads to the array."""

    file: Path
    path: tuple[str, ...]
    element: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """One `key = [words]` at the top of a TOML settings file, only where the key is not set."""

    file: Path
    key: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A whole file of ours in a folder that the agent looks into."""

    file: Path
    text: str
    executable: bool = False


Part = Entry | Line | OwnFile


@dataclass(frozen=True, slots=True)
class Hooking:
    """How one agent is hooked. `folder` is there when the agent is; `parts(folder, program, tools)`
    says what goes where: `tools` adds the events inside a turn; `note` is what a person must know.
    `start(folder, program)` is what gives it a snapshot, None where it takes none.
    """

    folder: Callable[[Environment], Path]
    parts: Callable[[Path, str, bool], tuple[Part, ...]]
    note: str = ""
    start: Callable[[Path, str], tuple[Part, ...]] | None = None


def command(program: str, agent: str, answer: str = "") -> str:
    """The command line of a hook. It never changes: Codex trusts a line by its hash."""
    return shlex.join(_words(program, agent, answer))


def start_command(program: str, agent: str) -> str:
    """The command line that gives a snapshot: what gitsession answers, or nothing."""
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
    """`notify` tells of a turn's end and is not waited for; the hook that Codex does wait for is
    there only where `notify` calls something of the user's."""
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
    except (OSError, ValueError):  # what cannot be read is refused where it is to be written
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
    """The shape that Claude Code began with: per event a list of groups, each with its hooks."""
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


def _opencode(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    text = hook_files.opencode(program, tools)
    return (OwnFile(folder / "plugin" / "gitsession.js", text),)


def _pi(folder: Path, program: str, tools: bool) -> tuple[Part, ...]:
    text = hook_files.pi(program, tools)
    return (OwnFile(folder / "extensions" / "gitsession.ts", text),)


def _opencode_folder(environment: Environment) -> Path:
    configured = environment.get("XDG_CONFIG_HOME")
    base = Path(configured) if configured.startswith("/") else environment.home / ".config"
    return base / "opencode"


HOOKINGS: dict[str, Hooking] = {
    "claude-code": Hooking(
        claude_find.home, _claude, start=_start("claude-code", "settings.json")
    ),
    "codex": Hooking(
        codex_find.home, _codex,
        "Codex asks once whether it may run the hooks of hooks.json; notify works without that",
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
        _opencode_folder, _opencode,
        "with a plugin OpenCode fetches its plugin package once; offline it starts slowly",
    ),
    "pi": Hooking(pi_find.home, _pi),
}  # fmt: skip
"""By the name of the adapter."""


def is_ours(value: object) -> bool:
    """Whether an element of a settings file, or the text of a file, calls our line."""
    rest = [value]
    while rest:  # what somebody else wrote may be nested deeper than calls can go
        one = rest.pop()
        if isinstance(one, str):
            if any(mark in one for mark in (*_MARKS, hook_files.TITLE)):
                return True
        elif isinstance(one, Mapping):
            rest += one.values()
        elif isinstance(one, list):
            rest += one
    return False
