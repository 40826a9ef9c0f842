"""What an agent gets at a session's start, made ahead: behind a save that nobody waits for.

Derived, marked with the user's key and named by what it was made of: to delete it costs time only.
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
"""Bytes of a snapshot that is given, whatever is configured: agents cut what is longer than ten
thousand characters, and the state block stands before it."""

_MOST = 32 << 20
"""Bytes of a session that is read for this, ahead or while the agent waits."""


def newest(workspace: Workspace, branch: str) -> Resolved | None:
    """Where a branch stands, its work in progress included; None if it is not there."""
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
    """The state block and the snapshot of a version."""
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
    """Make them for where a branch stands now."""
    found = newest(workspace, branch)
    if found is not None and not is_too_large(workspace, found):
        texts(workspace, found)


def _files(workspace: Workspace) -> Sealed:
    """Beside the messages that were read: what makes these forgotten makes those, too."""
    return Sealed(workspace.environment.cache_dir / "messages", workspace.key)


def _name(workspace: Workspace, found: Resolved, budget: int) -> str:
    told = ["snapshot", *found[:3], str(budget), workspace.config["context.estimator"]]
    package = os.path.dirname(os.path.dirname(__file__))
    rooms = [os.path.join(package, room) for room in ("events", "render")]
    return "\n".join([*told, read_messages.reader(*rooms)])
