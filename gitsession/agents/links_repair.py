"""Repairs the active branch of a tree session on its way out: broken links, calls and results."""

from __future__ import annotations

from typing import Protocol

from gitsession.agents.lenient import text_of
from gitsession.agents.links import Branch, Row, active_branch
from gitsession.agents.pairs import pair
from gitsession.agents.rows import OutRow, Repairs, new_row, without


class Shape(Protocol):
    """What the repair needs to know about rows.

    `name` is the member that names a record; `links` are those that name another one, the one for
    the parent first.
    """

    name: str
    links: tuple[str, ...]

    def belongs(self, row: Row) -> bool:
        """Whether the row is a record of the tree."""
        ...

    def speaks(self, row: Row) -> bool:
        """Whether the row is a message that the model sees."""
        ...

    def calls(self, row: Row) -> list[str]: ...

    def results(self, row: Row) -> list[str]:
        """Return the ids of the calls whose results the row contains."""
        ...

    def strip(self, row: OutRow, gone: set[int]) -> bool:
        """Remove the results at those positions among `results`; True if nothing is left."""
        ...

    def interrupted(self, call: OutRow, lost: list[str], native_id: str) -> list[Row]:
        """Return records that answer those calls; their parents are set here."""
        ...


def repair(rows: list[OutRow], shape: Shape, native_id: str, repairs: Repairs) -> list[OutRow]:
    """Return the rows with one result per call on the active branch, and no broken link in it."""
    _join_gaps(rows, shape, repairs)
    rows = _drop_surplus(rows, shape, repairs)
    return _add_missing(rows, shape, native_id, repairs)


def _branch(rows: list[OutRow], shape: Shape) -> Branch:
    return active_branch([row.row for row in rows], shape.name, shape.links[0], shape.belongs)


def _join_gaps(rows: list[OutRow], shape: Shape, repairs: Repairs) -> None:
    for position, above in _branch(rows, shape).gaps.items():
        rows[position].set(shape.links[0], rows[above].row.get(shape.name))
        repairs.note("{} broken link{s} in the history joined")


def _drop_surplus(rows: list[OutRow], shape: Shape, repairs: Repairs) -> list[OutRow]:
    on = [rows[at] for at in _branch(rows, shape).positions]
    places = [(row, place) for row in on for place in range(len(shape.results(row.row)))]
    found = pair(
        [call_id for row in on for call_id in shape.calls(row.row)],
        [call_id for row in on for call_id in shape.results(row.row)],
    )
    repairs.note("{} doubled tool result{s} left out", len(found.doubled))
    repairs.note("{} tool result{s} without a call left out", len(found.orphaned))
    gone: dict[int, set[int]] = {}
    for position in found.surplus:
        row, place = places[position]
        gone.setdefault(id(row), set()).add(place)
    empty = [row for row in on if id(row) in gone and shape.strip(row, gone[id(row)])]
    return without(rows, empty, name=shape.name, links=shape.links)


def _add_missing(
    rows: list[OutRow], shape: Shape, native_id: str, repairs: Repairs
) -> list[OutRow]:
    on = _branch(rows, shape).positions
    answers = [call_id for at in on for call_id in shape.results(rows[at].row)]
    missing = set(pair([c for at in on for c in shape.calls(rows[at].row)], answers).missing)
    repairs.note("{} tool call{s} without result marked as interrupted", len(missing))
    behind: dict[int, list[OutRow]] = {}
    for index, at in enumerate(on):
        lost = [call_id for call_id in shape.calls(rows[at].row) if call_id in missing]
        if lost:
            made = [new_row(row) for row in shape.interrupted(rows[at], lost, native_id)]
            last = _last_result(rows, on, index, shape)
            behind[on[last]] = _linked(made, rows[on[last]], shape)
            if last + 1 < len(on):
                following = rows[on[last + 1]]
                following.set(shape.links[0], made[-1].row.get(shape.name))
    return [one for at, row in enumerate(rows) for one in (row, *behind.get(at, ()))]


def _last_result(rows: list[OutRow], on: list[int], call: int, shape: Shape) -> int:
    """Return the position on the branch where the results of a call end."""
    last = call
    for index in range(call + 1, len(on)):
        row = rows[on[index]].row
        if shape.results(row):
            last = index
        elif shape.speaks(row):
            break
    return last


def _linked(made: list[OutRow], above: OutRow, shape: Shape) -> list[OutRow]:
    for row in made:
        row.set(shape.links[0], text_of(above.row.get(shape.name)) or None)
        above = row
    return made
