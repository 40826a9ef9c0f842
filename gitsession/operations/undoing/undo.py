"""undo and redo: take back the last command of a person, or any; and take that back again."""

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import Operation
    from gitsession.operations.project_files.file_undo import FilesBack
    from gitsession.operations.workspace import Workspace


def oplog(workspace: Workspace, limit: int = 0) -> list[Operation]:
    """The operations, newest first."""
    log = workspace.store.operations()
    return list(itertools.islice(log, limit or None))


def held(workspace: Workspace, number: int = 0) -> list[str]:
    """Refs that keep what an operation (the last one) took away alive, until an explicit gc."""
    store = workspace.store
    number = number or store.oplog.last_id()
    return [*store.refs(f"{UNDO}{number}/")]


def undo(workspace: Workspace, number: int = 0, *, force: bool = False) -> Operation:
    """Take one operation back; it is the answer. Raises NotFound, Conflict (a ref moved since, a
    push, or files that were changed since: `force` goes over these)."""
    store = workspace.store
    here = store.records.directory(workspace.directory)
    operation = to_undo(store.operations(), here, number)
    return _take_back(workspace, operation, force)


def _take_back(workspace: Workspace, operation: Operation, force: bool) -> Operation:
    files = file_undo.prepare(workspace, operation, force=force)
    reverted = renaming.as_named_now(workspace, operation)
    if _in_use(workspace, operation):
        # Its agent goes on in that session: the branch stays, only HEAD goes back.
        reverted = replace(reverted, refs=())
    return _moved(workspace, reverted, operation, files, forward=False)


def _with_files(operation: Operation, files: FilesBack | None) -> Operation:
    """Put the files back, as the last step; the operation with what could not be."""
    left = files.write() if files is not None else ()
    return replace(operation, details={**operation.details, "left": left}) if left else operation


def redo(workspace: Workspace) -> Operation:
    """Take the last undo back; the operation that stands again is the answer."""
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
    """Take `reverted` back (an operation, or its undo), with what `operation` did beside the refs.
    Raises Conflict; the files are as they were then."""
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
        way = "done again" if forward else "taken back"
        raise Conflict(
            f"operation {operation.id} ({operation.verb}) cannot be {way}: "
            "something moved on since",
            hint="gitsession oplog shows what came later"
            + ("" if forward else "; undo that first"),
        ) from error
    _follow(workspace, operation, forward=forward)
    return _with_files(operation, files)


def _follow(workspace: Workspace, operation: Operation, *, forward: bool) -> None:
    """What a verb did beside the refs is done again, or taken back."""
    details = operation.details
    buried = str(details.get("buried", "")).split("\n") if details.get("buried") else []
    if buried:
        (natives.bury if forward else natives.raise_again)(workspace, buried)
    if details.get("linked"):
        relink.follow(workspace, str(details["linked"]), forward=forward)
    old, new = str(details.get("from", "")), str(details.get("to", ""))
    if old and new and operation.verb == renaming.OF_A_BRANCH:
        natives.rename(workspace, {old: new} if forward else {new: old})
    if details.get("native") and not forward:
        _remove_native(workspace, str(details["native"]))
    if details.get("handed") and not forward and not _in_use(workspace, operation):
        handed = str(details["handed"]).split("\n")
        for name, branch in zip(handed[::2], handed[1::2], strict=True):
            _hand_back(workspace, name, branch)


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
    """The native session of an undone checkout goes too if its agent never used it; a used one
    stays, and its next save makes a branch again."""
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
    """Delete what a checkout wrote, below the agent's own folder only."""
    try:
        agent = registry.get(str(record["agent"]))
    except NotFound:
        return
    paths = [natives.path_of(workspace, record), *map(str, record.get("files") or ())]
    native_files.remove([path for path in paths if path], agent.home(workspace.environment))
