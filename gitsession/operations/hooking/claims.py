"""Which snapshot of a session was given to another one: to one only, until it has a newer version.

A record of this store beside the objects; it is never shared.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Tip
    from gitsession.operations.workspace import Workspace

KIND = "claims"
"""By session: `version`, the id of the newest version that was claimed."""

PATIENCE = 0.7
"""Seconds that the lock is waited for: each process holds it for one small file."""


def is_free(workspace: Workspace, session: str, version: str) -> bool:
    """Whether nobody has claimed this version of a session."""
    record = workspace.store.records.read(KIND, session) or {}
    return record.get("version") != version


def claim(workspace: Workspace, session: str, tip: Tip) -> bool:
    """Take the snapshot of a session's newest version; False where another process was faster, or
    the session has gone on meanwhile. Raises StoreBusy."""
    with workspace.store.lock("claims", timeout=PATIENCE):
        if workspace.store.ref(tip.ref) != tip.id or not is_free(workspace, session, tip.id):
            return False
        workspace.store.records.write(KIND, workspace.names.clean(session), {"version": tip.id})
        return True
