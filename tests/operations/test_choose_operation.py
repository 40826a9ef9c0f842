"""What `undo` and `redo` mean without an argument."""

from __future__ import annotations

import pytest

from gitsession.errors import Conflict, NotFound
from gitsession.model.report import Operation
from gitsession.operations.undoing.choose_operation import to_redo, to_undo

REFS = (("refs/heads/s/x", "", "a" * 40),)


def op(
    number: int, verb: str, *, here: str = "p", automatic: bool = False, undoes: int = 0
) -> Operation:
    return Operation(number, number, verb, REFS, here, automatic, undoes)


def test_automatic_saves_and_other_directories_are_skipped() -> None:
    log = [op(1, "branch"), op(2, "save", automatic=True), op(3, "tag", here="q")]
    assert to_undo(log[::-1], "p").id == 1
    assert to_undo(log[::-1], "q").id == 3
    with pytest.raises(NotFound):
        to_undo(log[::-1], "elsewhere")


def test_undo_walks_back_and_redo_walks_forward() -> None:
    log = [op(1, "branch"), op(2, "tag")]
    log.append(op(3, "undo", undoes=to_undo(log[::-1], "p").id))
    assert log[-1].undoes == 2
    log.append(op(4, "undo", undoes=to_undo(log[::-1], "p").id))
    assert log[-1].undoes == 1
    undo, undone = to_redo(log[::-1], "p")
    assert (undo.id, undone.id) == (4, 1)
    log.append(op(5, "redo", undoes=4))
    undo, undone = to_redo(log[::-1], "p")
    assert (undo.id, undone.id) == (3, 2)
    log.append(op(6, "redo", undoes=3))
    with pytest.raises(NotFound):
        to_redo(log[::-1], "p")
    assert to_undo(log[::-1], "p").id == 2


def test_something_new_ends_the_row_of_redos() -> None:
    log = [op(1, "branch"), op(2, "undo", undoes=1), op(3, "tag")]
    with pytest.raises(NotFound):
        to_redo(log[::-1], "p")
    assert to_undo(log[::-1], "p").id == 3


def test_a_push_cannot_be_undone_and_says_so() -> None:
    log = [op(1, "branch"), op(2, "push")]
    with pytest.raises(Conflict, match="sent"):
        to_undo(log[::-1], "p")
    assert to_undo(log[::-1], "p", 1).id == 1
    with pytest.raises(Conflict):
        to_undo(log[::-1], "p", 2)


def test_a_named_operation_is_undone_once() -> None:
    log = [op(1, "branch"), op(2, "undo", undoes=1)]
    with pytest.raises(Conflict, match="already"):
        to_undo(log[::-1], "p", 1)
    with pytest.raises(Conflict, match="itself"):
        to_undo(log[::-1], "p", 2)
    with pytest.raises(NotFound):
        to_undo(log[::-1], "p", 9)
