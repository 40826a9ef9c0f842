"""Which snapshot of a session was given to another one: to one only, until there is a newer
version.

The claim is a record of this store, next to the objects, and is never shared. A claimer that came
to nothing (its agent was killed, its machine is gone) does not withhold the snapshot from others
forever.
"""

from __future__ import annotations

import time

from gitsession.operations import natives

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitsession.model.history import Tip
    from gitsession.operations.workspace import Workspace

KIND = "claims"
"""The kind of records, by session: `version`, the id of the newest version that was claimed;
`agent` and `native_id` of the session that got it; `time` of the claim (unix seconds)."""

PATIENCE = 0.7
"""Seconds to wait for the lock: each process holds it while it writes one small file."""

LIFE = 24 * 3600
"""Seconds after which a claim lapses if the session that got it was never saved here."""


def is_free(workspace: Workspace, session: str, version: str) -> bool:
    """Whether nobody has claimed this version of a session, or the claim has lapsed."""
    record = workspace.store.records.read(KIND, session) or {}
    return record.get("version") != version or _has_lapsed(workspace, record)


def _has_lapsed(workspace: Workspace, record: Mapping[str, object]) -> bool:
    begun = record.get("time")
    begun = begun if isinstance(begun, int) else 0
    if abs(time.time() - begun) < LIFE:  # a clock may have been wrong in either direction
        return False
    agent, native_id = str(record.get("agent", "")), str(record.get("native_id", ""))
    return not native_id or natives.find(workspace, agent, native_id) is None


def claim(workspace: Workspace, session: str, tip: Tip, agent: str, native_id: str) -> bool:
    """Claim the snapshot of a session's newest version for a native session; return False if
    another process was faster or the session has moved on meanwhile. Raises StoreBusy."""
    clean = workspace.names.clean
    record = {
        "version": tip.id, "agent": clean(agent), "native_id": clean(native_id),
        "time": int(time.time()),
    }  # fmt: skip
    with workspace.store.lock("claims", timeout=PATIENCE):
        if workspace.store.ref(tip.ref) != tip.id or not is_free(workspace, session, tip.id):
            return False
        workspace.store.records.write(KIND, clean(session), record)
        return True
