"""--at-op: the same user and directory, over the refs as they were after an operation."""

from __future__ import annotations

from gitsession.operations.workspace import Workspace
from gitsession.store.past import at_operation


def at(workspace: Workspace, number: int) -> Workspace:
    """Return a read-only view of a workspace as of an operation. Raises NotFound if the log has no
    such operation."""
    store = at_operation(workspace.store, number)
    return Workspace(store, workspace.environment, workspace.config, workspace.key)
