"""Which agents there are. Adapters are imported on use; others come from installed packages."""

from __future__ import annotations

import importlib
import os

from gitsession.errors import NotFound

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
    "claw": "gitsession.agents.claw",
    "generic": "gitsession.agents.generic",
    "codesess": "gitsession.agents.codesess",
}
"""In the order in which a file given by hand is shown to them."""

HOMES: dict[str, tuple[str, ...]] = {
    "claude-code": (".claude", "CLAUDE_CONFIG_DIR"),
    "codex": (".codex", "CODEX_HOME"),
    "pi": (".pi/agent", "PI_CODING_AGENT_DIR"),
    "qwen": (".qwen", "QWEN_RUNTIME_DIR", "QWEN_HOME"),
    "gemini": (".gemini", "GEMINI_CLI_HOME"),
    "copilot": (".copilot/session-state", "COPILOT_HOME"),
    "opencode": (".local/share/opencode", "XDG_DATA_HOME", "OPENCODE_DB"),
    "codesess": (".code_sessions",),
}
"""Where below HOME an agent keeps its sessions, and the variables that name another place: a look
at that folder is cheaper than importing the adapter."""


def names() -> tuple[str, ...]:
    """The names of the adapters that come with gitsession."""
    return tuple(MODULES)


def get(name: str) -> Agent:
    """The adapter of that name; raises NotFound with the known names as candidates.

    Entry points are listed only for a name we do not have: that costs more than a whole `log`.
    """
    module = MODULES.get(name)
    if module is not None:
        agent: Agent = importlib.import_module(module).AGENT
        return agent
    for entry in _entry_points():
        if entry.name == name:
            return _loaded(entry.load())
    raise NotFound(
        "no agent of that name is known",
        hint="`gitsession agents` lists them",
        candidates=names(),
    )


def all_agents(*, installed: bool = False) -> Iterator[Agent]:
    """Our adapters in their order; with `installed` those of other packages after them."""
    for name in MODULES:
        yield get(name)
    if installed:
        for entry in _entry_points():
            if entry.name not in MODULES:
                yield _loaded(entry.load())


def agents_at_home(environment: Environment) -> Iterator[Agent]:
    """Our adapters, without those whose agent has no folder on this machine."""
    for name in MODULES:
        if name == "generic":  # its folder is ours
            is_here = os.path.isdir(environment.data_dir / name)
        else:
            folder, *variables = HOMES.get(name, ("",))
            is_here = os.path.isdir(f"{environment.home}/{folder}")
            is_here = is_here or any(map(environment.get, variables))
        if is_here:
            yield get(name)


def recognise(path: Path) -> Source | None:
    """The session in a file given by hand, as the first adapter that knows it sees it."""
    for agent in all_agents(installed=True):
        source = agent.recognise(path)
        if source is not None:
            return source
    return None


def _entry_points() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))


def _loaded(found: Any) -> Agent:
    """An entry point may name a module ending in AGENT or the adapter itself."""
    agent: Agent = getattr(found, "AGENT", found)
    return agent
