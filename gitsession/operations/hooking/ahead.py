"""Prepare what an agent gets at a session's start, right after a save that nobody waits for.

It is derived data, authenticated with the user's key and named after what it was made from:
deleting it costs only time.
"""

from __future__ import annotations

import json
import os

from gitsession.model.history import HEADS, WIP
from gitsession.operations import read_messages
from gitsession.operations.sealed import Sealed
from gitsession.store.revisions import Resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace

LARGEST = 6_000
"""The limit for a snapshot, in bytes, whatever is configured: agents cut anything longer than ten
thousand characters, and the state block comes before it."""

_MOST = 32 << 20
"""The largest session, in bytes, that is read for this, in advance or while the agent waits."""


def newest(workspace: Workspace, branch: str) -> Resolved | None:
    """Return the newest state of a branch, work in progress included; None if it does not exist."""
    for prefix in (WIP, HEADS):
        commit = workspace.store.ref(prefix + branch) if branch else ""
        if commit:
            return Resolved(commit, prefix + branch, branch, 0)
    return None


def is_too_large(workspace: Workspace, found: Resolved) -> bool:
    """Whether the session takes so long to read that nobody should wait for it."""
    size = workspace.store.version(found.commit).trailers.get("Bytes", "")
    return size.isdecimal() and int(size) > _MOST


def texts(workspace: Workspace, found: Resolved) -> tuple[str, str]:
    """Return the state block and the snapshot of a version, from the cache or made now."""
    budget = min(workspace.config["snapshot.budget"], LARGEST)
    files, name = _files(workspace), _name(workspace, found, budget)
    known = files.read(name)
    if known is not None:
        state, snapshot = json.loads(known)
        return state, snapshot
    from gitsession.operations.hooking import resume_snapshot

    made = resume_snapshot.with_state(workspace, found, budget)
    files.write(name, json.dumps(made).encode())
    return made


def prepare(workspace: Workspace, branch: str) -> None:
    """Cache both texts for the newest state of a branch."""
    found = newest(workspace, branch)
    if found is not None and not is_too_large(workspace, found):
        texts(workspace, found)


def _files(workspace: Workspace) -> Sealed:
    """Return the cache that also holds the messages: whatever deletes those deletes these too."""
    return Sealed(workspace.environment.cache_dir / "messages", workspace.key)


def _name(workspace: Workspace, found: Resolved, budget: int) -> str:
    told = ["snapshot", *found[:3], str(budget), workspace.config["context.estimator"]]
    package = os.path.dirname(os.path.dirname(__file__))
    rooms = [os.path.join(package, room) for room in ("events", "render")]
    return "\n".join([*told, read_messages.reader(*rooms)])
