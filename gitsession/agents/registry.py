"""The known agents. Adapters are imported on first use; installed packages can add more."""

from __future__ import annotations

import importlib
import os

from gitsession.errors import NotFound, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint
    from pathlib import Path
    from typing import Any

    from gitsession.agents.base import Agent, Source
    from gitsession.environment import Environment

GROUP = "gitsession.agents"

MODULES = {
    "claude-code": "gitsession.agents.claude_code",
    "codex": "gitsession.agents.codex",
    "pi": "gitsession.agents.pi",
    "qwen": "gitsession.agents.qwen",
    "gemini": "gitsession.agents.gemini",
    "copilot": "gitsession.agents.copilot",
    "opencode": "gitsession.agents.opencode",
    "kilo": "gitsession.agents.kilo",
    "cline": "gitsession.agents.cline",
    "continue": "gitsession.agents.continue_cli",
    "kimi": "gitsession.agents.kimi",
    "vibe": "gitsession.agents.vibe",
    "claw": "gitsession.agents.claw",
    "goose": "gitsession.agents.goose",
    "crush": "gitsession.agents.crush",
    "aider": "gitsession.agents.aider",
    "generic": "gitsession.agents.generic",
    "codesess": "gitsession.agents.codesess",
    "chatgpt": "gitsession.agents.chatgpt",
    "claude-ai": "gitsession.agents.claude_ai",
    "lobechat": "gitsession.agents.lobechat",
}
"""In the order in which they are asked about a file given by hand."""

HOMES: dict[str, tuple[str, ...]] = {
    "claude-code": ("{home}/.claude", "CLAUDE_CONFIG_DIR"),
    "codex": ("{home}/.codex", "CODEX_HOME"),
    "pi": ("{home}/.pi/agent", "PI_CODING_AGENT_DIR"),
    "qwen": ("{home}/.qwen", "QWEN_RUNTIME_DIR", "QWEN_HOME"),
    "gemini": ("{home}/.gemini", "GEMINI_CLI_HOME"),
    "copilot": ("{home}/.copilot/session-state", "COPILOT_HOME"),
    "opencode": ("{home}/.local/share/opencode", "XDG_DATA_HOME", "OPENCODE_DB"),
    "kilo": ("{home}/.local/share/kilo", "XDG_DATA_HOME", "KILO_DB"),
    "cline": ("{home}/.cline/data/sessions",),
    "continue": ("{home}/.continue/sessions", "CONTINUE_GLOBAL_DIR"),
    "kimi": ("{home}/.kimi-code", "KIMI_CODE_HOME"),
    "vibe": ("{home}/.vibe/logs/session", "VIBE_HOME"),
    "claw": ("{cwd}/.claw/sessions", "{cwd}/.claude/sessions", "{cwd}/.port_sessions"),
    "goose": ("{home}/.local/share/goose/sessions", "XDG_DATA_HOME"),
    "crush": ("{cwd}/.crush",),
    "aider": ("{cwd}/.aider.chat.history.md",),
    "generic": ("{data}/generic",),
    "codesess": ("{home}/.code_sessions",),
    "chatgpt": (),  # files given by hand only
    "claude-ai": (),
    "lobechat": (),
}
"""Where an agent keeps its sessions, and variables that name another place: checking these is
cheaper than importing the adapter."""


def names() -> tuple[str, ...]:
    """Return the names of the adapters that come with gitsession."""
    return tuple(MODULES)


def get(name: str) -> Agent:
    """Return the adapter of that name; raises NotFound with the known names as candidates.

    Entry points are listed only for a name that is not ours: that costs more than a whole `log`.
    """
    module = MODULES.get(name)
    if module is not None:
        agent: Agent = importlib.import_module(module).AGENT
        return agent
    for entry in _entry_points():
        if entry.name == name:
            return _loaded(entry.load())
    raise NotFound(
        "there is no agent of that name",
        hint=did_you_mean(name, names()) + "`gitsession agents` lists them",
        candidates=names(),
    )


def all_agents(*, installed: bool = False) -> Iterator[Agent]:
    """Yield our adapters in their order; with `installed`, then those of other packages."""
    for name in MODULES:
        yield get(name)
    if installed:
        for entry in _entry_points():
            if entry.name not in MODULES:
                yield _loaded(entry.load())


def agents_at_home(environment: Environment) -> Iterator[Agent]:
    """Yield our adapters, except those whose agent has no folder on this machine."""
    places = {
        "home": environment.home_folder, "cwd": environment.cwd,
        "data": environment.folder("data"),
    }  # fmt: skip

    def is_there(mark: str) -> bool:
        return os.path.exists(mark.format(**places)) if "{" in mark else bool(environment.get(mark))

    return (get(name) for name in MODULES if any(map(is_there, HOMES.get(name, ("{home}",)))))


def recognise(path: Path) -> Source | None:
    """Return the session in a file given by hand, as seen by the first adapter that knows it."""
    for agent in all_agents(installed=True):
        source = agent.recognise(path)
        if source is not None:
            return source
    return None


def recognise_all(path: Path) -> list[Source]:
    """Return every session in a file given by hand, as seen by the first adapter that knows it."""
    from gitsession.agents import base

    for agent in all_agents(installed=True):
        found = base.recognise_all(agent, path)
        if found:
            return found
    return []


def _entry_points() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))


def _loaded(found: Any) -> Agent:
    """Return the adapter: an entry point names a module ending in AGENT or the adapter itself."""
    agent: Agent = getattr(found, "AGENT", found)
    return agent
