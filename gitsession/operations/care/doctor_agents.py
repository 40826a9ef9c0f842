"""doctor's checks of the agents: are their hooks in place, do their sessions still exist, and will
they delete something that is not saved?"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator

from gitsession.agents import hooks as hookings
from gitsession.agents import registry, retention
from gitsession.agents.base import native_length
from gitsession.errors import GitSessionError
from gitsession.files import read
from gitsession.model.care import Check
from gitsession.operations import natives
from gitsession.operations.hooking import hook_memory, hook_parts
from gitsession.operations.hooking import hooks as hook_verbs
from gitsession.operations.saving import unsaved
from gitsession.render import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent, Source
    from gitsession.environment import Environment
    from gitsession.operations.hooking.hooks import HookRow
    from gitsession.operations.workspace import Workspace

_MOST = 5
_DAY = 86400.0
_INSTALL = "gitsession hooks install"


def hooks(environment: Environment, program: str) -> Iterator[Check]:
    """Check each agent on this machine that can be hooked; those without hooks share one line."""
    rows = [row for row in hook_verbs.status(environment) if row.state != "none"]
    without = [row.agent for row in rows if row.state == "absent" and not row.paused]
    if len(without) > 1:
        text = f"{', '.join(without)} have none: their sessions are only saved by hand"
        yield Check("WARN", "hooks", text, _INSTALL, {"without": without})
    for row in rows:
        if len(without) < 2 or row.agent not in without:
            yield _hook(environment, row, program)
    if not rows:
        yield Check("OK", "hooks", "no agent that can be hooked is on this machine")


def _hook(environment: Environment, row: HookRow, program: str) -> Check:
    name = f"hooks of {row.agent}"
    install = f"{_INSTALL} {row.agent}"
    if row.paused:
        return Check("WARN", name, "are paused: nothing is saved automatically",
                     "gitsession hooks resume")  # fmt: skip
    if row.state == "unreadable":
        return Check("FAIL", name, row.note, "correct the file, then run it again")
    if row.state == "absent":
        return Check(
            "WARN", name, "are not installed: its sessions are only saved by hand", install
        )
    if row.state == "partly":
        return Check("WARN", name, "are installed in part", install)
    if row.note:
        return Check("FAIL", name, row.note, install)
    if program and not _is_current(environment, row.agent, program):
        return Check("WARN", name, "are installed by another release or program", install)
    if row.agent == "codex" and not _codex_trusts(environment):
        text = "are installed; you have not told Codex to trust them yet"
        hint = "start codex once and answer its question; until then, only `notify` saves"
        return Check("WARN", name, text, hint)
    return Check("OK", name, "are installed")


def _is_current(environment: Environment, agent: str, program: str) -> bool:
    parts = hook_verbs.parts_of(environment, agent, program)
    try:
        return hook_parts.is_current(parts, hook_memory.Memory(environment, agent))
    except GitSessionError:
        return False


def _codex_trusts(environment: Environment) -> bool:
    """Whether Codex trusts our hooks: its settings hold one hash for each hook of hooks.json."""
    folder = hookings.HOOKINGS["codex"].folder(environment)
    try:
        return b"hooks.json:" in read(folder / "config.toml")
    except OSError:
        return False


def sources(workspace: Workspace) -> Iterator[Check]:
    """Check for native sessions that shrank or vanished since their save; what is stored stays."""
    gone, shrunk, known = [], [], 0
    there = _all_sources(workspace)
    for record in natives.known(workspace):
        if natives.is_held(record):
            continue
        known += 1
        source = there.get(natives.name_of(record))
        if source is None and not os.path.isfile(str(record.get("path", ""))):
            gone.append(natives.name_of(record))
        elif source is not None and _length(source) < _stored(workspace, source):
            shrunk.append(natives.name_of(record))
    for what, names in (("vanished", gone), ("shrank", shrunk)):
        if names:
            shown = ", ".join(names[:_MOST]) + (" …" if len(names) > _MOST else "")
            text = f"{words.plural(len(names), 'session file')} {what}: {shown}"
            hint = "what was saved stays; `gitsession checkout` recreates the file"
            yield Check("WARN", "sources", text, hint, {what: names})
    if not gone and not shrunk:
        yield Check(
            "OK", "sources", f"{words.plural(known, 'session file')}, none shrunk or missing"
        )


def _all_sources(workspace: Workspace) -> dict[str, Source]:
    """Return the current sources of the agents with bindings, by `<agent>/<native id>`; each agent
    is asked once."""
    found: dict[str, Source] = {}
    for name in sorted({str(record["agent"]) for record in natives.known(workspace)}):
        try:
            agent = registry.get(name)
        except GitSessionError:
            continue
        for source in agent.find(workspace.environment):
            found.setdefault(f"{source.agent}/{source.native_id}", source)
    return found


def _length(source: Source) -> int:
    try:
        return native_length(registry.get(source.agent), source)
    except (GitSessionError, OSError):
        return source.size


def _stored(workspace: Workspace, source: Source) -> int:
    """Return how far the last save read a source, from the hint alone; -1 if that is not known."""
    record = natives.find(workspace, source.agent, source.native_id)
    state = workspace.store.records.read("state", str((record or {}).get("branch", "")))
    if not state or state.get("native_id") != source.native_id:
        return -1
    tail = state.get("tail")
    offset = tail.get("offset", -1) if isinstance(tail, dict) else -1
    return offset if isinstance(offset, int) else -1


def retentions(environment: Environment, workspace: Workspace | None) -> Iterator[Check]:
    """Check when the agents will delete sessions themselves, and whether those are saved."""
    for agent in registry.all_agents():
        kept = retention.retention(environment, agent.name)
        found = list(agent.find(environment)) if kept else []
        if kept and found:
            yield _retention(agent, kept, found, workspace)


def _retention(
    agent: Agent, kept: retention.Retention, found: list[Source], workspace: Workspace | None
) -> Check:
    unsaved_ones = [one for one in found if not _is_saved(workspace, one)]
    name = f"retention of {agent.name}"
    said = []
    if kept.days:
        unset = ", the default" if kept.is_default else ""
        said.append(
            f"deletes sessions {kept.days:g} days after their last change ({kept.setting}{unset}"
            f"): {words.plural(_days_left(found, kept.days), 'day')} left for the oldest"
        )
    if kept.most:
        said.append(f"keeps {kept.most} sessions, {len(found)} exist")
    details = {"days": kept.days, "sessions": len(found), "unsaved": len(unsaved_ones)}
    if not unsaved_ones:
        said.append(f"all {len(found)} are saved")
        return Check("OK", name, "; ".join(said), "", details)
    text = f"{len(unsaved_ones)} of {len(found)} are not completely saved"
    if kept.days:
        left = words.plural(_days_left(unsaved_ones, kept.days), "day")
        text += f", the first will be deleted in {left}"
    said.append(text)
    return Check("WARN", name, "; ".join(said), "gitsession save --all", details)


def _days_left(found: list[Source], days: float) -> int:
    oldest = min(source.mtime for source in found) / 1e9
    return max(0, math.floor((oldest + days * _DAY - time.time()) / _DAY))


def _is_saved(workspace: Workspace | None, source: Source) -> bool:
    if workspace is None:
        return False
    if 0 <= _length(source) <= _stored(workspace, source):
        return True
    if natives.find(workspace, source.agent, source.native_id) is None:
        return False
    # Past the newest finished turn are only an open turn, saved by hand, or rows of metadata.
    try:
        return not unsaved.standing(workspace, source).records
    except GitSessionError:
        return False
