"""status and agents: where a directory's HEAD is, which sources are live, what is not saved."""

from __future__ import annotations

from collections import namedtuple

from gitsession.agents import registry
from gitsession.errors import GitSessionError
from gitsession.model.history import HEADS, WIP
from gitsession.model.report import Native, Status
from gitsession.operations import failures, natives
from gitsession.operations.saving import unsaved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent
    from gitsession.model.history import Version
    from gitsession.operations.workspace import Workspace

AgentRow = namedtuple("AgentRow", "name title home present sessions capabilities")
AgentRow.__doc__ = """One line of `agents`: `home` is where its sessions are, `present` whether that
folder exists, `sessions` how many were found, `capabilities` a Capabilities."""


def status(workspace: Workspace) -> Status:
    """Return the state of a directory: reads the sources of the current session's branches;
    everything else comes from refs and records."""
    store, directory = workspace.store, workspace.directory
    head = store.head(directory) or store.default_head(directory)
    session = head.partition("/")[0]
    bound = list(natives.of_session(workspace, session)) if session else []
    bound.sort(key=lambda record: (record.get("branch") != head, str(record.get("branch"))))
    bindings = tuple(_native(workspace, record) for record in bound)
    return Status(
        store=str(workspace.store.path),
        head=head,
        version=_version(workspace, head),
        natives=bindings,
        dirty=any(native.unsaved_records for native in bindings),
        withheld=_withheld(workspace, head),
        failures=_failures(workspace),
    )


def _version(workspace: Workspace, head: str) -> Version | None:
    commit = workspace.store.ref(HEADS + head) if "/" in head else head
    return workspace.store.version(commit) if commit else None


def _native(workspace: Workspace, record: natives.NativeRecord) -> Native:
    agent, native_id = str(record["agent"]), str(record["native_id"])
    branch, path = str(record["branch"]), natives.path_of(workspace, record)
    if not path:
        source = "held" if natives.is_held(record) else "missing"
        return Native(agent, native_id, branch, str(record.get("path", "")), source)
    if natives.untouched(workspace, record):
        return Native(agent, native_id, branch, path, "untouched")
    found = unsaved.source_of(workspace, record)
    if found is None:
        return Native(agent, native_id, branch, path, "missing")
    try:
        stands = unsaved.standing(workspace, found)
    except GitSessionError:
        return Native(agent, native_id, branch, path, "unreadable")
    kind = stands.past.kind if stands.past.kind in ("shrunk", "stub") else "live"
    wip = bool(stands.records) and _has_work(workspace, branch)
    return Native(agent, native_id, branch, path, kind, stands.records, stands.size, wip)


def _has_work(workspace: Workspace, branch: str) -> bool:
    """Whether messages beyond the newest version are kept as work in progress."""
    at, tip = workspace.store.ref(WIP + branch), workspace.store.ref(HEADS + branch)
    if not at or not tip:
        return bool(at)
    kept, newest = workspace.store.version(at), workspace.store.version(tip)
    return tip in kept.parents and kept.trailers.get("Messages") != newest.trailers.get("Messages")


def _withheld(workspace: Workspace, head: str) -> tuple[tuple[str, str], ...]:
    from gitsession import snapshot

    version = _version(workspace, head)
    if version is None:
        return ()
    stored = snapshot.decode_head(workspace.store.tree(version.tree)).session
    return tuple((file.path, file.reason) for file in stored.files if file.reason != "deleted")


def _failures(workspace: Workspace) -> tuple[str, ...]:
    return tuple(f"{name}: {reason}" for name, reason in failures.known(workspace))


def agent_rows(workspace: Workspace) -> list[AgentRow]:
    """Return a row for every known agent, in the registry's order."""
    return [_agent_row(workspace, agent) for agent in registry.all_agents(installed=True)]


def _agent_row(workspace: Workspace, agent: Agent) -> AgentRow:
    home = agent.home(workspace.environment)
    present = home.exists()
    count = sum(1 for _ in agent.find(workspace.environment)) if present else 0
    shown = workspace.shown(str(home))  # some agents keep their sessions in the project
    return AgentRow(agent.name, agent.title, shown, present, count, agent.capabilities)
