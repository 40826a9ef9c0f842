"""Which operation `undo` and `redo` mean: pure reading of the operation log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitsession.errors import Conflict, NotFound
from gitsession.model.report import Operation

FINAL = {"push": "sent", "scrub": "taken out", "rewrite": "taken out", "purge": "dropped",
         "gc": "dropped", "repair": "set aside"}  # fmt: skip
"""Verbs that nothing takes back, and what became of their things."""


def to_undo(operations: Iterable[Operation], directory: str, wanted: int = 0) -> Operation:
    """The operation to take back: the named one, else the newest that a person typed in this
    directory and that still stands. Raises NotFound or Conflict."""
    log = sorted(operations, key=lambda operation: operation.id)
    undone = taken_back(log)
    if wanted:
        return _named(log, undone, wanted)
    for operation in reversed(log):
        if _is_step(operation, directory) and operation.id not in undone:
            _refuse_final(operation)
            return operation
    raise NotFound("there is nothing to undo here", hint="gitsession oplog lists all operations")


def to_redo(operations: Iterable[Operation], directory: str) -> tuple[Operation, Operation]:
    """(the undo to take back, the operation it undid). Only while nothing newer was done here."""
    log = sorted(operations, key=lambda operation: operation.id)
    by_id = {operation.id: operation for operation in log}
    undone = taken_back(log)
    for operation in reversed(log):
        if operation.directory != directory or operation.automatic:
            continue
        if operation.verb == "undo" and undone.get(operation.undoes) == operation.id:
            return operation, by_id[operation.undoes]
        if operation.verb not in ("undo", "redo") and operation.refs:
            break
    raise NotFound("there is nothing to redo here", hint="gitsession oplog lists all operations")


def taken_back(log: Iterable[Operation]) -> Mapping[int, int]:
    """Operation id -> id of the undo that took it back, for those that do not stand any more."""
    undone: dict[int, int] = {}
    target: dict[int, int] = {}
    for operation in log:
        if operation.verb == "undo":
            undone[operation.undoes] = operation.id
            target[operation.id] = operation.undoes
        elif operation.verb == "redo":
            undone.pop(target.get(operation.undoes, 0), None)
    return undone


def _is_step(operation: Operation, directory: str) -> bool:
    if operation.automatic or operation.verb in ("undo", "redo"):
        return False
    return operation.directory == directory


def _named(log: list[Operation], undone: Mapping[int, int], wanted: int) -> Operation:
    for operation in log:
        if operation.id != wanted:
            continue
        if operation.verb in ("undo", "redo"):
            raise Conflict(
                f"operation {wanted} is itself an {operation.verb}",
                hint="gitsession redo takes an undo back",
            )
        if wanted in undone:
            raise Conflict(f"operation {wanted} is undone already", hint="gitsession redo")
        _refuse_final(operation)
        return operation
    raise NotFound(f"there is no operation {wanted}", hint="gitsession oplog lists all operations")


def _refuse_final(operation: Operation) -> None:
    if operation.verb in FINAL:
        raise Conflict(
            f"operation {operation.id} is a {operation.verb}: what was {FINAL[operation.verb]} "
            "cannot be taken back",
            hint="gitsession undo OP takes back an older one; gitsession oplog lists them",
        )
