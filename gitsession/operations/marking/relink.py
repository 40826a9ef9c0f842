"""relink: a person says which project sessions belong to, if nothing else can determine it.

The sessions' versions are not changed; the link is recorded in this store only.
"""

from __future__ import annotations

import os

from gitsession.errors import NotFound
from gitsession.model.history import HEADS
from gitsession.operations.marking.sessions import refs_of
from gitsession.operations.projects import KIND
from gitsession.operations.saving import renaming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsession.operations.workspace import Workspace


def relink(workspace: Workspace, sessions: Sequence[str], folder: str) -> str:
    """Link the sessions to the project of that folder from now on; return the project's id.

    If the folder has no HEAD, it gets the newest branch of the first session. Raises NotFound.
    """
    folder = folder or workspace.directory
    if not os.path.isdir(folder):
        raise NotFound("there is no such folder", hint="name an existing one with --project")
    clean, store = workspace.names.clean, workspace.store
    project = clean(workspace.project(folder).id)
    rows = []
    for session in dict.fromkeys(sessions):
        refs_of(workspace, session)
        before = (store.records.read(KIND, session) or {}).get("project", "")
        rows.append(f"{session}\t{before}\t{project}")
    head = store.head(folder) or _newest(workspace, sessions[0])
    with store.transaction("relink", workspace.directory) as change:
        change.head(folder, clean(head), clean(folder))
        change.note(linked=clean("\n".join(rows)))
    follow(workspace, "\n".join(rows), forward=True)
    return project


def follow(workspace: Workspace, linked: str, *, forward: bool) -> None:
    """Write the links of an operation, or restore those that existed before it."""
    records = workspace.store.records
    for row in linked.split("\n"):
        session, old, new = row.split("\t")
        project, session = new if forward else old, renaming.now(workspace, session)
        if project:
            name = workspace.names.clean(session)
            records.write(KIND, name, {"project": workspace.names.clean(project)})
        else:
            records.remove(KIND, session)


def _newest(workspace: Workspace, session: str) -> str:
    tips = workspace.store.tips(f"{HEADS}{session}/")
    return max(tips, key=lambda tip: (tip.time, tip.ref)).ref.removeprefix(HEADS)
