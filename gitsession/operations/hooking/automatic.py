"""Saves that no person asked for: by an agent's hook, or by `watch`.

They never wait long, never raise for anything that can go wrong with one session, and write a line
to the log; the next status and save report what failed.
"""

from __future__ import annotations

import os
import time

from gitsession.agents import registry
from gitsession.agents.base import is_at_home, source_in
from gitsession.errors import GitSessionError
from gitsession.model.history import WIP
from gitsession.model.saved import Saved
from gitsession.operations import failures
from gitsession.operations.hooking import asking, hook_log
from gitsession.operations.paused import is_paused
from gitsession.operations.saving import save
from gitsession.operations.saving.grown import Wishes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent, Source
    from gitsession.model.session import Session
    from gitsession.operations.hooking.hook_call import HookCall
    from gitsession.operations.workspace import Workspace

PATIENCE = 0.7
"""Seconds to wait for each lock, the session's and then the store's; the next call saves what this
one leaves."""

_SETTLING = (0.2, 0.8)
"""Seconds to wait for the record that ends the turn, if the agent writes it after the hook."""


def save_call(workspace: Workspace, call: HookCall) -> Saved:
    """Save the one session that a hook names, if it may be saved and the policy says now."""
    begun = time.monotonic()
    saved = _called(workspace, call)
    if not saved.error:
        failures.clear(workspace, f"{call.agent}/hook")
    log(workspace, saved, time.monotonic() - begun, call.event)
    if saved.outcome in ("saved", "wip") and not call.within_turn:
        _look_ahead(workspace, call.agent, saved.branch)
    return saved


def _look_ahead(workspace: Workspace, agent: str, branch: str) -> None:
    """Prepare the snapshot that this agent will wait for at its next start, while nobody waits."""
    if not asking.is_noted(workspace.environment, agent):
        return
    from gitsession.operations.hooking import ahead

    try:
        ahead.prepare(workspace, branch)
    except Exception:  # noqa: BLE001 - the save is good; the start of a session tells of this
        return


def _called(workspace: Workspace, call: HookCall) -> Saved:
    if is_paused(workspace.environment, call.agent):
        return _nothing(call, "paused")
    if save.is_excluded(workspace, call.agent, call.native_id, call.cwd):
        return _nothing(call, "excluded")
    agent = registry.get(call.agent)
    source = source_of(workspace, agent, call)
    if source is None:
        saved = _nothing(call, "missing")
        # A session that is closed before its first prompt never had a file. Within a turn, the
        # turn's end will report one that is missing, unless another program (Continue) runs this
        # agent's hooks.
        if not call.last and not call.within_turn:
            _fail(workspace, saved, "the agent's transcript was not found")
        return saved
    if call.within_turn and not is_due(workspace, source, tool=True):
        return _nothing(call, "not yet")
    saved = save_source(workspace, source)
    return _settled(workspace, agent, call, saved) if call.ends_turn else saved


def _settled(workspace: Workspace, agent: Agent, call: HookCall, saved: Saved) -> Saved:
    """Save again while the turn still looks unfinished, though the agent says that it ended."""
    versions = saved.versions
    for pause in _SETTLING:
        if saved.error or not workspace.store.ref(WIP + saved.branch):
            break
        time.sleep(pause)
        source = source_of(workspace, agent, call)
        if source is not None:
            saved = save_source(workspace, source)
            versions += saved.versions
    return saved._replace(versions=versions, outcome="saved") if versions else saved


def save_source(workspace: Workspace, source: Source) -> Saved:
    """Save one source as a hook does: an unfinished turn goes to wip, patience is short, and
    nothing that a session, a lock or a disk can cause is raised."""
    workspace.config = workspace.config.with_value("lock.timeout", str(PATIENCE))
    workspace.store.patience = PATIENCE
    try:
        saved = save.save_one(workspace, source, Wishes(auto=True), keep_going=True)
    except (GitSessionError, OSError) as error:
        saved = Saved(source.agent, source.native_id, "failed", error=reason(error))
    if saved.error:
        _fail(workspace, saved, saved.error)
    else:
        failures.clear(workspace, f"{saved.agent}/{saved.native_id}")
    return saved


def reason(error: BaseException) -> str:
    """Return why something failed, without any path or value if the error is not one of ours."""
    if isinstance(error, GitSessionError):
        return str(error)
    if isinstance(error, OSError):
        return os.strerror(error.errno) if error.errno else "the file system refused"
    return f"this is a bug in gitsession ({type(error).__name__})"


def log(workspace: Workspace, saved: Saved, seconds: float, event: str = "") -> None:
    """Write the log line of one automatic save."""
    clean = workspace.names.clean
    versions = f"versions={len(saved.versions)}" if saved.versions else ""
    error = clean(saved.error) if saved.error else ""
    hook_log.write(
        workspace.environment, saved.agent, clean(saved.native_id), event, saved.outcome,
        versions, f"{seconds * 1000:.0f}ms", error,
    )  # fmt: skip


def _fail(workspace: Workspace, saved: Saved, text: str) -> None:
    clean = workspace.names.clean
    failures.note(workspace, clean(f"{saved.agent}/{saved.native_id}"), clean(text))


def _nothing(call: HookCall, outcome: str) -> Saved:
    return Saved(call.agent, call.native_id, outcome)


def source_of(workspace: Workspace, agent: Agent, call: HookCall) -> Source | None:
    """Return the session's source: its transcript, if that is this session in the agent's own
    folder, else the source with its id among the agent's sessions."""
    if call.path and is_at_home(agent, workspace.environment, call.path):
        source = source_in(agent, os.path.realpath(call.path), call.native_id)
        if source is not None and source.native_id == call.native_id:
            return source
    for source in agent.find(workspace.environment, native_id=call.native_id):
        if source.native_id == call.native_id:
            return source
    return None


def is_due(workspace: Workspace, source: Source, *, tool: bool = False, results: int = 0) -> bool:
    """Whether the policy wants a save now: always at the end of a turn; within one after so many
    messages, or after a tool. A tool's hook sets `tool`; a watcher passes how many tool `results`
    of this turn it has already saved."""
    words = workspace.config["autosave.policy"].split("+")
    if tool and "tools" in words:
        return True
    if tool and "messages" not in words:
        return False
    from gitsession.operations.saving import unsaved

    try:
        stands = unsaved.standing(workspace, source)
    except (GitSessionError, OSError):
        return True  # the save itself reports what is wrong
    if not stands.parts:
        return False
    if any(part.turn is None or part.turn.finished for part in stands.parts) and not tool:
        return True
    line = stands.line  # in its first turn a session has a working state but no branch
    branch, tip = line.branch or str(line.native.get("branch", "")), line.tip
    kept = _messages(workspace, (workspace.store.ref(WIP + branch) if branch else "") or tip)
    most: int = max(1, workspace.config["autosave.messages"])
    if "messages" in words and stands.parts[-1].counts.messages - kept >= most:
        return True
    return "tools" in words and results_in(stands.agent, stands.parts[-1]) > results


def results_of(workspace: Workspace, source: Source) -> int:
    """Return how many tools have answered in a source's last turn, 0 if that is finished."""
    from gitsession.operations.saving import unsaved

    try:
        stands = unsaved.standing(workspace, source)
    except (GitSessionError, OSError):
        return 0
    return results_in(stands.agent, stands.parts[-1]) if stands.parts else 0


def results_in(agent: Agent, part: Session) -> int:
    """Return how many tools have answered in a turn."""
    messages = agent.messages(part)
    return sum(one.kind == "tool_result" for message in messages for one in message.parts)


def _messages(workspace: Workspace, commit: str) -> int:
    """Return how many messages are already stored."""
    trailers = workspace.store.version(commit).trailers if commit else {}
    text = trailers.get("Messages", "")
    return int(text) if text.isdecimal() else 0
