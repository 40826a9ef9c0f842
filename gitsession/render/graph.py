"""The lines and slashes at the left of `log --graph`, drawn as git draws them.

Feed it versions, children before parents. A column is a line of history that waits for its next
(older) version; a fork shows where two columns wait for the same version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Rows(NamedTuple):
    """What to print around one version: `before` are whole rows that join forks, `node` goes before
    its first line, `fan` are whole rows right below that (for a version with two parents), `rest`
    goes before its other lines, `after` are whole rows below all of them."""

    before: tuple[str, ...]
    node: str
    fan: tuple[str, ...]
    rest: str
    after: tuple[str, ...]


class Graph:
    """The columns while a log is drawn, left to right: the ids that they wait for."""

    def __init__(self) -> None:
        self._columns: list[str] = []

    def add(self, version: str, parents: Sequence[str], mark: str = "*") -> Rows:
        """Return the rows of the next version."""
        if version not in self._columns:
            self._columns.append(version)
        before = tuple(self._join(version))
        place = self._columns.index(version)
        node = self._row(place, mark)
        if not parents:
            rest = self._row(place, " ")
            del self._columns[place]
            shift = self._shift(place)
            return Rows(before, node, (), rest, (shift,) if shift else ())
        self._columns[place : place + 1] = list(parents)
        fan = tuple(self._fan(place, extra) for extra in range(1, len(parents)))
        rest = self._row(-1, "")
        # A fork ends as soon as another column waits for its parent, which keeps the drawing
        # narrow.
        after = tuple(self._join(parents[0])) if len(parents) == 1 else ()
        return Rows(before, node, fan, rest, after)

    def _row(self, place: int, mark: str) -> str:
        return "".join(f"{mark if at == place else '|'} " for at in range(len(self._columns)))

    def _join(self, version: str) -> list[str]:
        """Join all columns that wait for the version, starting with the rightmost and its
        neighbour."""
        rows = []
        while self._columns.count(version) > 1:
            places = [at for at, waiting in enumerate(self._columns) if waiting == version]
            target, place = places[-2:]
            count = len(self._columns)
            del self._columns[place]
            rows.append(_drawn(range(place), range(place, count)))
            rows += [
                _drawn(range(count - 1), range(step, step + 1))
                for step in range(place - 1, target, -1)
            ]
        return rows

    def _shift(self, place: int) -> str:
        """Move the columns to the right of one that ended one place to the left."""
        if place == len(self._columns):
            return ""
        return _drawn(range(place), range(place + 1, len(self._columns) + 1))

    def _fan(self, place: int, extra: int) -> str:
        kept = "".join("| " for _ in range(place + extra))
        moved = "".join("\\ " for _ in range(len(self._columns) - place - extra))
        return (kept.rstrip() + moved).rstrip()


def _drawn(straight: range, slanting: range) -> str:
    """Return a row with `|` at the `straight` columns and `/` to the left of the `slanting`
    ones."""
    width = 2 * max([*straight, *slanting, 0]) + 1
    row = [" "] * width
    for column in straight:
        row[2 * column] = "|"
    for column in slanting:
        if column > 0:
            row[2 * column - 1] = "/"
    return "".join(row).rstrip()
