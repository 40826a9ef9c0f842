"""hooks: add our entries to the agents' settings, remove them, report what is there, pause them.

Only our own entries are ever changed; a file that does not parse as what it should be is refused
before anything is written.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

from gitsession.agents import hooks, registry
from gitsession.config import load_config
from gitsession.errors import Conflict, NotFound, SourceUnreadable
from gitsession.operations.hooking import asking, hook_memory, hook_parts
from gitsession.operations.paused import ALL, is_paused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gitsession.environment import Environment

HookRow = namedtuple("HookRow", "agent state files paused note snapshot", defaults=(False,))
HookRow.__doc__ = """One agent: `state` is installed, partly, absent (not hooked) or none (the agent
is not on this machine); `files` the settings that hold (or would hold) our entries; `paused`
whether a person paused automatic saves of it; `note` what else there is to say; `snapshot` whether
it asks for a snapshot when a session starts."""


def supported() -> tuple[str, ...]:
    """Return the agents that can be hooked, in the registry's order."""
    return tuple(name for name in registry.names() if name in hooks.HOOKINGS)


def taking() -> tuple[str, ...]:
    """Return the agents that take a snapshot when a session starts."""
    return tuple(name for name in supported() if hooks.HOOKINGS[name].start)


def status(environment: Environment, names: Sequence[str] = ()) -> list[HookRow]:
    """Return how the named agents, or all, are hooked. Raises NotFound if one takes no hooks."""
    return [_row(environment, name) for name in _checked(names) or supported()]


def install(
    environment: Environment, names: Sequence[str], program: str, snapshot: bool | None = None
) -> list[HookRow]:
    """Hook the named agents, or every one on this machine. `snapshot` sets whether they ask for one
    when a session starts; None leaves that as it is.

    Raises SourceUnreadable for settings that cannot be read; that agent's settings are then
    untouched. Raises NotFound if `snapshot` is set and a named agent takes none.
    """
    if snapshot:
        _must_take(names)
    rows = []
    for name in _chosen(environment, names):
        wanted = parts_of(environment, name, program, snapshot=snapshot)
        kept = hook_parts.put(wanted, hook_memory.Memory(environment, name))
        row = _row(environment, name)
        asking.note(environment, name, row.snapshot)
        notes = [*kept, row.note, hooks.HOOKINGS[name].note]
        if snapshot and name not in taking():
            notes.append("it takes no snapshot when a session starts")
        rows.append(row._replace(note="; ".join(dict.fromkeys(filter(None, notes)))))
    return rows


def uninstall(environment: Environment, names: Sequence[str]) -> list[HookRow]:
    """Remove our entries from the settings of the named agents, or of all."""
    rows = []
    for name in _checked(names) or supported():
        memory = hook_memory.Memory(environment, name)
        parts = parts_of(environment, name, "", tools=True, snapshot=True)
        had = hook_parts.state(parts) != "absent"
        hook_parts.take_out(parts, memory)
        asking.note(environment, name, False)
        if had or names:
            rows.append(_row(environment, name))
    return rows


def give_no_snapshot(environment: Environment, names: Sequence[str], program: str) -> list[HookRow]:
    """Stop the named agents, or all, from asking for a snapshot; they continue to save."""
    found = [name for name in _checked(names) or supported() if asks(environment, name)]
    rows = install(environment, found, program, snapshot=False) if found else []
    done = {row.agent for row in rows}
    return rows + [_row(environment, name) for name in names if name not in done]


def pause(environment: Environment, names: Sequence[str], undo: bool = False) -> list[HookRow]:
    """Pause automatic saves of the named agents (or of all) until `undo`; the entries stay."""
    config = load_config(environment)
    for name in _checked(names) or (ALL,):
        if undo and name == ALL:
            for known in list(config.mappings["paused"]):
                config = config.with_mapping("paused", known, None)
        elif undo and ALL in config.mappings["paused"]:
            raise Conflict(
                "every agent is paused, not this one alone", hint="gitsession hooks resume"
            )
        else:
            config = config.with_mapping("paused", name, None if undo else "yes")
    config.save()
    return status(environment)


def _chosen(environment: Environment, names: Sequence[str]) -> Sequence[str]:
    if names:
        return _checked(names)
    found = [name for name in supported() if _folder(environment, name).is_dir()]
    if not found:
        raise NotFound(
            "no agent that can be hooked is on this machine",
            hint=f"name one to hook it anyway: {', '.join(supported())}",
        )
    return found


def _checked(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in supported():
            raise NotFound(
                "there are no hooks for that agent",
                hint="`gitsession watch` saves changes without hooks",
                candidates=supported(),
            )
    return tuple(names)


def _must_take(names: Sequence[str]) -> None:
    for name in _checked(names):
        if name not in taking():
            raise NotFound(
                f"{name} takes no snapshot when a session starts",
                hint="`gitsession snapshot` prints one to paste there",
                candidates=taking(),
            )


def _folder(environment: Environment, name: str) -> Path:
    return hooks.HOOKINGS[name].folder(environment)


def parts_of(
    environment: Environment,
    name: str,
    program: str,
    tools: bool | None = None,
    snapshot: bool | None = None,
) -> tuple[hooks.Part, ...]:
    """Return what goes where; None means the configured policy, or what the settings have now."""
    hooking, folder = hooks.HOOKINGS[name], _folder(environment, name)
    if tools is None:
        tools = load_config(environment)["autosave.policy"] != "turn"
    if snapshot is None:
        snapshot = asks(environment, name)
    start = hooking.start(folder, program) if hooking.start and snapshot else ()
    return (*hooking.parts(folder, program, tools), *start)


def asks(environment: Environment, name: str) -> bool:
    """Whether the settings make the agent ask for a snapshot; False if they cannot be read."""
    hooking = hooks.HOOKINGS.get(name)
    if hooking is None or hooking.start is None:
        return False
    try:
        parts = hooking.start(hooking.folder(environment), "")
        return hook_parts.state(parts) == "installed"
    except SourceUnreadable:
        return False


def _row(environment: Environment, name: str) -> HookRow:
    snapshot = asks(environment, name)
    parts = parts_of(environment, name, "", snapshot=snapshot)
    files = tuple(dict.fromkeys(str(part.file) for part in parts))
    paused = is_paused(environment, name)
    if not _folder(environment, name).is_dir():
        return HookRow(name, "none", files, paused, "")
    try:
        note = hook_parts.gone(parts)
        return HookRow(name, hook_parts.state(parts), files, paused, note, snapshot)
    except SourceUnreadable as error:
        return HookRow(name, "unreadable", files, paused, str(error))
