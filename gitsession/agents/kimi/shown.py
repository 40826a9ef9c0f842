"""Finds the events of a log that are its conversation.

`/undo` leaves what it takes back in the file and says at which line the new branch left the old
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gitsession.agents.kimi.records import Row
from gitsession.agents.lenient import mapping_of, text_of

MAIN = "main"
_SWITCHED, _UNDO = "agent.switched", "context.undo"


class Switch(NamedTuple):
    """A branch begins after `line` (counted from 1) and continues from a line of another branch."""

    line: int
    base: str
    base_line: int


def shown(rows: Sequence[Row], records: Sequence[int]) -> list[int]:
    """Return the positions of the rows on the branch that is shown.

    `records` are the rows' numbers in the file, from 0. Undo events of older releases stay, for
    `undone`.
    """
    switches: dict[str, Switch] = {}
    told: set[int] = set()
    branch = MAIN
    for row, record in zip(rows, records, strict=True):
        base = mapping_of(row.get("base"))
        name, line = text_of(row.get("branch")), base.get("line")
        if row.get("type") == _SWITCHED and name and isinstance(line, int):
            branch = name
            switches[name] = Switch(record + 1, text_of(base.get("branch")), line)
            told.add(record + 2)
    ranges = _ranges(switches, branch, max(records, default=-1) + 1)
    return [
        position
        for position, (row, record) in enumerate(zip(rows, records, strict=True))
        if any(first <= record + 1 <= last for first, last in ranges)
        and row.get("type") != _SWITCHED
        and not (row.get("type") == _UNDO and record + 1 in told)
    ]


def _ranges(switches: dict[str, Switch], branch: str, last: int) -> list[tuple[int, int]]:
    """Return the lines of a branch and its ancestors; all lines if the switches do not fit."""
    found: list[tuple[int, int]] = []
    end, seen = last, set()
    while branch in switches and branch not in seen:
        seen.add(branch)
        switch = switches[branch]
        found.append((switch.line + 1, end))
        branch, end = switch.base, switch.base_line
    return [*found, (1, end)] if branch == MAIN else [(1, last)]


def undone(row: Row) -> int:
    """Return how many prompts an older release takes back with this event; 0 for any other."""
    count = row.get("count") if row.get("type") == _UNDO else 0
    return count if isinstance(count, int) and not isinstance(count, bool) else 0


def goes_back(row: Row) -> bool:
    return row.get("type") in (_SWITCHED, _UNDO)
