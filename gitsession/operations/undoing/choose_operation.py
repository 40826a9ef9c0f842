"""Which operation `undo` and `redo` mean; this only reads the operation log."""

from __future__ import annotations

from collections.abc import Iterable

from gitsession.errors import Conflict, NotFound
from gitsession.model.report import Operation

FINAL = {"push": "sent", "scrub": "taken out", "rewrite": "taken out", "purge": "dropped",
         "gc": "dropped", "repair": "set aside"}  # fmt: skip
"""Verbs that nothing can undo, and what became of the things they touched."""


def to_undo(operations: Iterable[Operation], directory: str, wanted: int = 0) -> Operation:
    """Return the operation to undo: the one named, else the newest that a person ran in this
    directory and that is not undone yet. `operations` come newest first and are read only as far as
    needed. Raises NotFound or Conflict."""
    undone = TakenBack()
    for operation in operations:
        undone.see(operation)
        if wanted and operation.id < wanted:
            break
        if wanted and operation.id == wanted:
            return _named(operation, undone)
        if not wanted and _is_step(operation, directory) and not undone.by(operation.id):
            _refuse_final(operation)
            return operation
    what = f"there is no operation {wanted}" if wanted else "there is nothing to undo here"
    raise NotFound(what, hint="`gitsession oplog` lists all operations")


def to_redo(operations: Iterable[Operation], directory: str) -> tuple[Operation, Operation]:
    """Return (the undo to take back, the operation it undid); only if nothing newer was done here.
    `operations` come newest first. Raises NotFound."""
    undone, undo = TakenBack(), None
    for operation in operations:
        if undo is not None:
            if operation.id == undo.undoes:
                return undo, operation
            continue
        undone.see(operation)
        if operation.directory != directory or operation.automatic:
            continue
        if operation.verb == "undo" and undone.by(operation.undoes) == operation.id:
            undo = operation
        elif operation.verb not in ("undo", "redo") and (
            operation.refs or operation.details.get("titled")
        ):
            break
    raise NotFound("there is nothing to redo here", hint="`gitsession oplog` lists all operations")


class TakenBack:
    """Which operations are currently undone, as far as a log was read from its end: of several
    entries about one operation, the last decides."""

    def __init__(self) -> None:
        self._redone: set[int] = set()
        self._last: dict[int, int] = {}

    def see(self, operation: Operation) -> None:
        """Take in the next older operation."""
        if operation.verb == "redo":
            self._redone.add(operation.undoes)
        elif operation.verb == "undo":
            stands = operation.id in self._redone
            self._last.setdefault(operation.undoes, 0 if stands else operation.id)

    def by(self, number: int) -> int:
        """Return the id of the undo that took an operation back, 0 if it is in effect."""
        return self._last.get(number, 0)


def _is_step(operation: Operation, directory: str) -> bool:
    if operation.automatic or operation.verb in ("undo", "redo"):
        return False
    return operation.directory == directory


def _named(operation: Operation, undone: TakenBack) -> Operation:
    if operation.verb in ("undo", "redo"):
        raise Conflict(
            f"operation {operation.id} is itself an {operation.verb}",
            hint="`gitsession redo` reverts an undo",
        )
    if undone.by(operation.id):
        raise Conflict(f"operation {operation.id} is already undone", hint="gitsession redo")
    _refuse_final(operation)
    return operation


def _refuse_final(operation: Operation) -> None:
    if operation.verb in FINAL:
        raise Conflict(
            f"operation {operation.id} is a {operation.verb}: what was {FINAL[operation.verb]} "
            "cannot be undone",
            hint="`gitsession undo OP` undoes an older one; `gitsession oplog` lists them",
        )
