"""undo and redo of `checkout --files`: restore the replaced files, byte for byte, with their modes.
The current files are backed up in the same way, so that this can be undone too."""

from __future__ import annotations

from gitsession.errors import Conflict
from gitsession.operations.folder import Folder, Seen
from gitsession.operations.project_files import backups
from gitsession.operations.project_files.backups import Kept, Write
from gitsession.operations.project_files.file_plan import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsession.model.report import Operation
    from gitsession.operations.workspace import Workspace
    from gitsession.store.transaction import Transaction


class FilesBack:
    """The files of one operation on their way back: examined and backed up on creation."""

    def __init__(self, workspace: Workspace, root: str, writes: list[Write]) -> None:
        self._workspace = workspace
        self._root = root
        self._writes = writes
        self._backup = backups.make(workspace, root, writes) if writes else ""

    def note(self, change: Transaction) -> None:
        """Record in the operation log the backup of what is replaced now."""
        if self._backup:
            change.note(files=self._backup)

    def forget(self) -> None:
        """Drop the backup, because the operation did not happen."""
        if self._backup:
            backups.drop(self._workspace.environment, self._backup)

    def write(self) -> tuple[str, ...]:
        """Restore the files; return sentences about those that could not be restored."""
        if not self._writes:
            return ()
        with Folder(self._root) as folder:
            left = dict(backups.write(folder, self._writes))
        backups.leave_out(self._workspace.environment, self._backup, left)
        return tuple(f"{path}: {why}" for path, why in left.items())


def prepare(workspace: Workspace, operation: Operation, *, force: bool = False) -> FilesBack | None:
    """Prepare to restore the files of an operation to their state before it; None if it replaced
    none.

    Raises Conflict if a file was changed since, or the backup is gone; then nothing is changed.
    `force` overwrites changed files, which are kept in the new backup.
    """
    name = str(operation.details.get("files", ""))
    found = backups.load(workspace.environment, name) if name else None
    if found is None:
        if name and not force:
            raise Conflict(
                f"the backup of the files of operation {operation.id} is gone; it is kept for "
                f"{backups.KEPT_DAYS} days",
                hint="--force undoes the rest",
            )
        return None
    root, rows = found
    try:
        with Folder(root) as folder:
            writes, changed = _writes(workspace, folder, rows)
    except OSError as error:
        raise Conflict("the folder of those files no longer exists") from error
    if changed and not force:
        raise Conflict(
            f"files of operation {operation.id} were changed since; nothing was changed",
            hint="--force overwrites them, after a backup",
            candidates=tuple(changed),
        )
    return FilesBack(workspace, root, writes)


def _writes(
    workspace: Workspace, folder: Folder, rows: Iterable[Kept]
) -> tuple[list[Write], list[str]]:
    """Return the writes, and the paths that are neither as before nor as after the operation."""
    writes, changed = [], []
    for row in rows:
        seen = folder.look(row.path, LARGEST)
        if _holds(seen, row.content):
            if row.content is not None and seen.mode != row.mode:
                writes.append(Write(row.path, row.content, seen, row.mode))
            continue
        after = workspace.mac(seen.content) if seen.content is not None else ""
        is_after = after == row.after and seen.kind in ("file", "absent")
        if not is_after:
            changed.append(row.path)
        if seen.kind in ("file", "absent"):
            writes.append(Write(row.path, row.content, seen, row.mode))
    return writes, changed


def _holds(seen: Seen, content: bytes | None) -> bool:
    if content is None:
        return seen.kind == "absent"
    return seen.content == content
