"""`checkout -`: where this directory's HEAD was before its last move, as in git."""

from __future__ import annotations

from gitsession.errors import NotFound
from gitsession.operations.saving import renaming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace


def head(workspace: Workspace) -> str:
    """Return the branch (or id) that HEAD named before its current one. Raises NotFound."""
    store = workspace.store
    here, now = store.records.directory(workspace.directory), store.head(workspace.directory)
    for operation in store.operations():
        moved = operation.details.get("heads")
        for key, old, new in moved if isinstance(moved, list | tuple) else ():
            if key == here and old and old != new and renaming.now(workspace, str(new)) == now:
                return str(old)
    raise NotFound("this directory was nowhere else before", hint="gitsession oplog")
