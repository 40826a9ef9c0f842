"""watch: save what changes in the agents' folders, for agents that call no hook.

Scanning the folders is what decides; `watchfiles`, if it is installed, only says when to scan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from gitsession.agents import registry
from gitsession.errors import GitSessionError
from gitsession.operations.hooking import automatic, hooks
from gitsession.operations.paused import is_paused
from gitsession.operations.saving import save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent, Source
    from gitsession.model.report import Saved
    from gitsession.operations.workspace import Workspace

INTERVAL = 2.0
"""Seconds between two scans, and how long a source must have been quiet to be saved."""

Wait = Callable[[Sequence[str], float], bool]
"""Waits until something may have changed below these folders, but at most that many seconds; False
ends the watch."""

IDLE = 30.0
"""Seconds after which an unfinished turn is saved even if the policy does not want that yet: some
agents never say that a turn has ended."""

Name = tuple[str, str]
Stamp = tuple[int, int]


def watch(
    workspace: Workspace,
    names: tuple[str, ...] = (),
    *,
    interval: float = INTERVAL,
    once: bool = False,
    wait: Wait | None = None,
) -> Iterator[Saved]:
    """Yield what became of each source that changed, as it is saved; forever, or for one scan with
    `once`.

    Without names: every installed agent that is not hooked. Raises NotFound for an unknown name.
    """
    agents = [registry.get(name) for name in names] or _not_hooked(workspace)
    wait = wait or waiting()
    look = _Look(workspace, agents, 0.0 if once else interval, 0.0 if once else IDLE)
    while True:
        for source in look.due():
            begun = time.monotonic()
            saved = look.save(source)
            if saved is not None:
                automatic.log(workspace, saved, time.monotonic() - begun, "watch")
                yield saved
        homes = [str(agent.home(workspace.environment)) for agent in agents]
        if once or not wait(homes, interval):
            return


def _not_hooked(workspace: Workspace) -> list[Agent]:
    hooked = {row.agent for row in hooks.status(workspace.environment) if row.state == "installed"}
    return [agent for agent in registry.all_agents(installed=True) if agent.name not in hooked]


class _Look:
    """What was last seen of each source, and in which state it was left."""

    def __init__(
        self, workspace: Workspace, agents: Sequence[Agent], quiet: float, idle: float
    ) -> None:
        self._workspace = workspace
        self._agents = agents
        self._quiet = quiet
        self._idle = idle
        self._seen: dict[Name, Stamp] = {}
        self._held: dict[Name, Stamp] = {}
        self._results: dict[Name, int] = {}

    def due(self) -> Iterator[Source]:
        """Yield the sources that differ from the last scan, have been quiet since, and are due by
        the policy; oldest first, so that HEAD ends at the newest."""
        now = time.time()
        for agent in self._agents:
            for source in _found(self._workspace, agent):
                age = now - source.mtime / 1e9
                if age < self._quiet or not self._is_new(source, age):
                    continue
                name, stamp = _name(source), (source.mtime, source.size)
                self._seen[name] = stamp
                if age >= self._idle or self._wants(source):
                    self._held.pop(name, None)
                    yield source
                else:
                    self._held[name] = stamp

    def _is_new(self, source: Source, age: float) -> bool:
        name, stamp = _name(source), (source.mtime, source.size)
        if self._seen.get(name) != stamp:
            return True
        return self._held.get(name) == stamp and age >= self._idle

    def _wants(self, source: Source) -> bool:
        """Whether it is time to save the source; one that may not be read is left to the save."""
        if save.refused(self._workspace, source, named=False):
            return True
        results = self._results.get(_name(source), 0)
        return automatic.is_due(self._workspace, source, results=results)

    def save(self, source: Source) -> Saved | None:
        """Save a source and return the outcome, None if a person does not want it saved."""
        if is_paused(self._workspace.environment, source.agent):
            return None
        saved = automatic.save_source(self._workspace, source)
        if saved.outcome in ("excluded", "deleted"):
            return None
        if "tools" in self._workspace.config["autosave.policy"]:
            self._results[_name(source)] = automatic.results_of(self._workspace, source)
        return saved


def _name(source: Source) -> Name:
    return source.agent, source.native_id


def _found(workspace: Workspace, agent: Agent) -> list[Source]:
    try:
        return sorted(agent.find(workspace.environment), key=lambda source: source.mtime)
    except (GitSessionError, OSError):
        return []  # a folder that cannot be read now may be readable at the next scan


def waiting() -> Wait:
    """Return a Wait that uses the extra `[watch]` if it is installed, else the clock."""
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
        time.sleep(min(most, INTERVAL))  # let the writer finish
        return True

    return until_changed


def _sleep(_: Sequence[str], most: float) -> bool:
    time.sleep(most)
    return True
