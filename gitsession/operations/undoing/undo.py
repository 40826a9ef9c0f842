"""undo and redo: take back a person's last command, or any operation; and take that back again."""

from __future__ import annotations

import itertools
from dataclasses import replace

from gitsession.agents import registry
from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, UNDO
from gitsession.operations import native_files, natives
from gitsession.operations.marking import relink
from gitsession.operations.project_files import file_undo
from gitsession.operations.saving import renaming
from gitsession.operations.undoing.choose_operation import to_redo, to_undo
from gitsession.store import remotes
from gitsession.store.names import remote_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import Operation
    from gitsession.operations.project_files.file_undo import FilesBack
    from gitsession.operations.workspace import Workspace


def oplog(workspace: Workspace, limit: int = 0) -> list[Operation]:
    """Return the operations, newest first; `limit` 0 means all."""
    log = workspace.store.operations()
    return list(itertools.islice(log, limit or None))


def held(workspace: Workspace, number: int = 0) -> list[str]:
    """Return the refs that keep what an operation (default: the last) removed, until a gc."""
    store = workspace.store
    number = number or store.oplog.last_id()
    return [*store.refs(f"{UNDO}{number}/")]


def undo(workspace: Workspace, number: int = 0, *, force: bool = False) -> Operation:
    """Undo one operation and return it. Raises NotFound, Conflict (a ref has moved since, the
    operation is final, or files were changed since: `force` overwrites these)."""
    store = workspace.store
    here = store.records.directory(workspace.directory)
    operation = to_undo(store.operations(), here, number)
    return _take_back(workspace, operation, force)


def _take_back(workspace: Workspace, operation: Operation, force: bool) -> Operation:
    files = file_undo.prepare(workspace, operation, force=force)
    reverted = renaming.as_named_now(workspace, operation)
    if _in_use(workspace, operation):
        # The agent is working in that session: the branch stays, only HEAD goes back.
        reverted = replace(reverted, refs=())
    return _moved(workspace, reverted, operation, files, forward=False)


def _with_files(operation: Operation, files: FilesBack | None) -> Operation:
    """Restore the files, as the last step; return the operation with those that could not be."""
    left = files.write() if files is not None else ()
    return replace(operation, details={**operation.details, "left": left}) if left else operation


def redo(workspace: Workspace) -> Operation:
    """Take back the last undo; return the operation that is in effect again."""
    store = workspace.store
    here = store.records.directory(workspace.directory)
    taken, operation = to_redo(store.operations(), here)
    files = file_undo.prepare(workspace, taken)
    reverted = renaming.as_named_now(workspace, taken)
    return _moved(workspace, reverted, operation, files, forward=True)


def _moved(
    workspace: Workspace,
    reverted: Operation,
    operation: Operation,
    files: FilesBack | None,
    *,
    forward: bool,
) -> Operation:
    """Take `reverted` back (an operation, or its undo), with everything `operation` did besides
    moving refs. Raises Conflict; then no file was changed."""
    verb = "redo" if forward else "undo"
    try:
        with workspace.store.transaction(verb, workspace.directory) as change:
            change.revert(reverted)
            renaming.revert(workspace, change, operation, forward=forward)
            if files is not None:
                files.note(change)
    except Conflict as error:
        if files is not None:
            files.forget()
        way = "redone" if forward else "undone"
        raise Conflict(
            f"operation {operation.id} ({operation.verb}) cannot be {way}: "
            "its refs have moved since",
            hint="`gitsession oplog` shows what came later"
            + ("" if forward else "; undo that first"),
        ) from error
    _follow(workspace, operation, forward=forward)
    return _with_files(operation, files)


def _follow(workspace: Workspace, operation: Operation, *, forward: bool) -> None:
    """Repeat or take back whatever a verb did besides moving refs."""
    details = operation.details
    buried = str(details.get("buried", "")).split("\n") if details.get("buried") else []
    if buried:
        (natives.bury if forward else natives.raise_again)(workspace, buried)
    if details.get("linked"):
        relink.follow(workspace, str(details["linked"]), forward=forward)
    old, new = str(details.get("from", "")), str(details.get("to", ""))
    if old and new and operation.verb == renaming.OF_A_BRANCH:
        natives.rename(workspace, {old: new} if forward else {new: old})
    if operation.verb == "remote-rm":
        _follow_remotes(workspace, operation, forward=forward)
    if details.get("native") and not forward:
        _remove_native(workspace, str(details["native"]))
    if details.get("handed") and not forward and not _in_use(workspace, operation):
        handed = str(details["handed"]).split("\n")
        for name, branch in zip(handed[::2], handed[1::2], strict=True):
            _hand_back(workspace, name, branch)


def _follow_remotes(workspace: Workspace, operation: Operation, *, forward: bool) -> None:
    """Set the address of a remote aside, or restore it, together with the refs fetched from it."""
    store = workspace.store
    for name in sorted({remote_of(ref) for ref, _, _ in operation.refs}):
        if not forward:
            remotes.bring_back(store, name)
        elif name in remotes.every(store):
            remotes.set_aside(store, name)


def _in_use(workspace: Workspace, operation: Operation) -> bool:
    """Whether the native session that a checkout made has been used by its agent, unsaved."""
    name = str(operation.details.get("native", ""))
    record = workspace.store.records.read("native", name) if name else None
    if record is None or not natives.path_of(workspace, record):
        return False
    return not natives.untouched(workspace, record)


def _hand_back(workspace: Workspace, name: str, branch: str) -> None:
    record = workspace.store.records.read("native", name)
    if record is not None:
        natives.hand_over(workspace, record, renaming.now(workspace, branch))


def _remove_native(workspace: Workspace, name: str) -> None:
    """Remove the native session of an undone checkout if its agent never used it; one that was used
    stays, and its next save creates a branch again."""
    record = workspace.store.records.read("native", name)
    if record is None:
        return
    branch = str(record.get("branch", ""))
    if not natives.untouched(workspace, record):
        return
    remove_files(workspace, record)
    natives.forget(workspace, record)
    if not workspace.store.ref(HEADS + branch):
        workspace.store.records.remove("state", branch)


def remove_files(workspace: Workspace, record: natives.NativeRecord) -> None:
    """Delete what a checkout wrote, only below the agent's own folder."""
    try:
        agent = registry.get(str(record["agent"]))
    except NotFound:
        return
    paths = [natives.path_of(workspace, record), *map(str, record.get("files") or ())]
    native_files.remove([path for path in paths if path], agent.home(workspace.environment))
