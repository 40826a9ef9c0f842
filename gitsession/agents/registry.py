"""Which agents there are. Adapters are imported on use; others come from installed packages."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsession.agents.base import Agent, Source
from gitsession.errors import NotFound

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gitsession.agents"

MODULES = {
    "claude-code": "gitsession.agents.claude_code",
    "codex": "gitsession.agents.codex",
    "pi": "gitsession.agents.pi",
    "qwen": "gitsession.agents.qwen",
    "gemini": "gitsession.agents.gemini",
    "generic": "gitsession.agents.generic",
    "codesess": "gitsession.agents.codesess",
}
"""In the order in which a file given by hand is shown to them."""


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
