"""watch: saves what changes in the agents' folders, for agents that call no hook.

The look at the folders is what decides; `watchfiles`, where it is installed, only says when.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from gitsession.agents import registry
from gitsession.errors import GitSessionError
from gitsession.operations import automatic, hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent, Source
    from gitsession.model.report import Saved
    from gitsession.operations.workspace import Workspace

INTERVAL = 2.0
"""Seconds between two looks, and how long a source must have been quiet to be saved."""

Wait = Callable[[Sequence[str], float], bool]
"""Waits until something may have changed below these folders, at most so many seconds; False ends
the watch."""

Stamp = tuple[int, int]


def watch(
    workspace: Workspace,
    names: tuple[str, ...] = (),
    *,
    interval: float = INTERVAL,
    once: bool = False,
    wait: Wait | None = None,
) -> Iterator[Saved]:
    """What became of each source that changed, as it is saved; for ever, or one look with `once`.

    Without names: every agent that is not hooked. Raises NotFound for an unknown name.
    """
    agents = [registry.get(name) for name in names] or _not_hooked(workspace)
    wait = wait or waiting()
    seen: dict[tuple[str, str], Stamp] = {}
    while True:
        for source in _changed(workspace, agents, seen, 0.0 if once else interval):
            begun = time.monotonic()
            saved = _save(workspace, source)
            if saved is not None:
                automatic.log(workspace, saved, time.monotonic() - begun, "watch")
                yield saved
        homes = [str(agent.home(workspace.environment)) for agent in agents]
        if once or not wait(homes, interval):
            return


def _not_hooked(workspace: Workspace) -> list[Agent]:
    hooked = {row.agent for row in hooks.status(workspace.environment) if row.state == "installed"}
    return [agent for agent in registry.all_agents(installed=True) if agent.name not in hooked]


def _changed(
    workspace: Workspace, agents: Sequence[Agent], seen: dict[tuple[str, str], Stamp], quiet: float
) -> Iterator[Source]:
    """Sources that are not as they were at the last look and have been left alone since; oldest
    first, so that HEAD ends at the newest."""
    limit = time.time() - quiet
    for agent in agents:
        for source in _found(workspace, agent):
            name, stamp = (source.agent, source.native_id), (source.mtime, source.size)
            if seen.get(name) != stamp and source.mtime / 1e9 <= limit:
                seen[name] = stamp
                yield source


def _found(workspace: Workspace, agent: Agent) -> list[Source]:
    try:
        return sorted(agent.find(workspace.environment), key=lambda source: source.mtime)
    except (GitSessionError, OSError):
        return []  # a folder that cannot be read now may be readable at the next look


def _save(workspace: Workspace, source: Source) -> Saved | None:
    """None where a person does not want it saved."""
    if hooks.is_paused(workspace.environment, source.agent):
        return None
    saved = automatic.save_source(workspace, source)
    return None if saved.outcome in ("excluded", "deleted") else saved


def waiting() -> Wait:
    """By the extra `[watch]` if it is there, else by the clock."""
    try:
        import watchfiles
    except ImportError:
        return _sleep

    def until_changed(folders: Sequence[str], most: float) -> bool:
        import os

        there = [folder for folder in folders if os.path.isdir(folder)]
        if not there:
            return _sleep(folders, most)
        changes = watchfiles.watch(
            *there, rust_timeout=int(most * 10_000), yield_on_timeout=True, debounce=200,
            raise_interrupt=True,
        )  # fmt: skip
        next(changes, None)
        time.sleep(min(most, INTERVAL))  # let the writer come to its end
        return True

    return until_changed


def _sleep(_: Sequence[str], most: float) -> bool:
    time.sleep(most)
    return True
