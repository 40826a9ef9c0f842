"""What an agent gets when a session starts: `start_cases` says when, `claims` ensures once only."""

from __future__ import annotations

import time
from dataclasses import dataclass

from gitsession.agents import registry
from gitsession.model.history import HEADS
from gitsession.operations import natives
from gitsession.operations.hooking import ahead, automatic, claimable, claims, hook_log
from gitsession.operations.hooking.start_cases import COMPACT, RESUME, STARTUP, may_give
from gitsession.operations.paused import is_paused
from gitsession.operations.saving import save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Source
    from gitsession.operations.hooking.hook_call import HookCall
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

_LARGEST_SAVE = 8 << 20
"""How many unsaved bytes are saved while the agent waits; more is left to the next turn's end."""

_CLAIM = "claim"
_ABOVE = {
    COMPACT: "From gitsession, where this conversation stood when it was compacted:",
    RESUME: "From gitsession, where this conversation stood when it was last saved:",
    _CLAIM: "From gitsession, where the session before this one in this project stood. It was "
    "another conversation; go on with it only if that is asked for:",
}


@dataclass(frozen=True, slots=True)
class Given:
    """`outcome` is one word: given or claimed, else why nothing was given; `text` is what the agent
    gets, without secrets; `version` is the commit that it describes."""

    outcome: str
    text: str = ""
    version: str = ""


def give(workspace: Workspace, call: HookCall) -> Given:
    """Return what to tell the calling agent; make a claim if needed, and write a log line."""
    begun = time.monotonic()
    name = workspace.names.clean(call.native_id)  # now, since nothing may take long after a claim
    given = _given(workspace, call)
    size = f"version={given.version[:8]} bytes={len(given.text.encode())}" if given.text else ""
    milliseconds = f"{(time.monotonic() - begun) * 1000:.0f}ms"
    hook_log.write(
        workspace.environment, call.agent, name, f"{call.event}:{call.source}", given.outcome,
        size, milliseconds,
    )  # fmt: skip
    return given


def _given(workspace: Workspace, call: HookCall) -> Given:
    why = _refused(workspace, call)
    if why or not may_give(workspace.config, call.source):
        return Given(why or "nothing")
    if call.source == STARTUP:
        return _claimed(workspace, call, "")
    branch, why = _own(workspace, call)
    found = ahead.newest(workspace, branch)
    if found is not None and _has_messages(workspace, found):
        return _of_its_own(workspace, call.source, found)
    if why or call.source == COMPACT:
        return Given(why or "unknown")
    return _claimed(workspace, call, branch.partition("/")[0])


def _refused(workspace: Workspace, call: HookCall) -> str:
    """Return why a person's decision rules out anything for this session, "" if none does."""
    if is_paused(workspace.environment, call.agent):
        return "paused"
    if save.is_excluded(workspace, call.agent, call.native_id, call.cwd):
        return "excluded"
    name = f"{call.agent}/{call.native_id}"
    deleted = workspace.store.records.read("tombstones", name) is not None
    return "deleted" if deleted else ""


def _own(workspace: Workspace, call: HookCall) -> tuple[str, str]:
    """Save what is new in the session; return the branch that it continues, and a word if it may
    have history that the store does not know."""
    source = automatic.source_of(workspace, registry.get(call.agent), call)
    why = _save(workspace, call, source) if source is not None else ""
    return _branch(workspace, call), why


def _branch(workspace: Workspace, call: HookCall) -> str:
    record = natives.find(workspace, call.agent, call.native_id) or {}
    return str(record.get("branch", ""))


def _save(workspace: Workspace, call: HookCall, source: Source) -> str:
    """Save the session, unless that takes long; return a word if part of it may be missing."""
    found = ahead.newest(workspace, _branch(workspace, call))
    stored = workspace.store.version(found.commit).trailers.get("Bytes", "") if found else ""
    if source.size - (int(stored) if stored.isdecimal() else 0) > _LARGEST_SAVE:
        return "too-much-unsaved"
    return "unsaved" if automatic.save_source(workspace, source).error else ""


def _has_messages(workspace: Workspace, found: Resolved) -> bool:
    return workspace.store.version(found.commit).trailers.get("Messages", "0") != "0"


def _of_its_own(workspace: Workspace, source: str, found: Resolved) -> Given:
    if ahead.is_too_large(workspace, found):
        return Given("too-large")
    state, snapshot = ahead.texts(workspace, found)
    told = (_ABOVE[source], state if source == COMPACT else "", snapshot)
    return Given("given", _together(*told), found.commit)


def _claimed(workspace: Workspace, call: HookCall, own: str) -> Given:
    """Claim the newest free snapshot. It is made before it is claimed, so that a failure does not
    use it up."""
    for session, tip in claimable.candidates(workspace, own):
        found = ahead.newest(workspace, tip.ref.removeprefix(HEADS))
        if found is None or ahead.is_too_large(workspace, found):
            continue
        if not claims.is_free(workspace, session, tip.id):
            continue
        _, snapshot = ahead.texts(workspace, found)
        if claims.claim(workspace, session, tip, call.agent, call.native_id):
            return Given("claimed", _together(_ABOVE[_CLAIM], snapshot), found.commit)
    return Given("none-is-free")


def _together(*texts: str) -> str:
    return "\n".join(text.strip("\n") for text in texts if text.strip())
