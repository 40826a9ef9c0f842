"""checkout --clean: remove a checkout that its agent never used, native file and branch."""

from __future__ import annotations

from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, WIP
from gitsession.operations import natives
from gitsession.operations.undoing.undo import remove_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace


def clean(workspace: Workspace, branch: str, *, dry_run: bool = False) -> natives.NativeRecord:
    """Remove the untouched checkout on `<session>/<branch>` and return its record.

    The branch goes too if the checkout created it, and HEAD returns to where it was. Raises
    NotFound if no checkout is bound to that branch, Conflict if its agent has used it or the branch
    has moved.
    """
    record = _checkout_on(workspace, branch)
    if not natives.untouched(workspace, record):
        raise Conflict(
            f"the agent has used the session of {branch}; it is not removed",
            hint="`gitsession branch -d` deletes only the branch",
        )
    if dry_run:
        return record
    _drop(workspace, branch, record)
    remove_files(workspace, record)
    natives.forget(workspace, record)
    workspace.store.records.remove("state", branch)
    return record


def _checkout_on(workspace: Workspace, branch: str) -> natives.NativeRecord:
    for record in natives.on_branch(workspace, branch):
        if record.get("written"):
            return record
    raise NotFound(
        "no checkout continues that branch, so there is nothing to clean",
        hint="`gitsession status` lists the checkouts that were never used",
    )


def _drop(workspace: Workspace, branch: str, record: natives.NativeRecord) -> None:
    store, tidy = workspace.store, workspace.names.clean
    tip = store.ref(HEADS + branch)
    if tip and record.get("made") and tip != record["base"]:
        raise Conflict(f"{branch} has new versions since that checkout")
    with store.transaction("clean", workspace.directory) as change:
        if tip and record.get("made"):
            change.move(tidy(HEADS + branch), tip, "")
            wip = store.ref(WIP + branch)
            if wip:
                change.move(tidy(WIP + branch), wip, "")
        if store.head(workspace.directory) == branch:
            change.head(workspace.directory, tidy(str(record.get("from", ""))))
