"""Sessions that are a tree in one file: each record names its parent, the last one is the leaf."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gitsession.agents.lenient import parse_line, text_of
from gitsession.agents.lookback import Past
from gitsession.model.record import Stream

Row = dict[str, Any]


@dataclass(slots=True)
class Branch:
    """Positions (in the given rows) on the active branch, ascending.

    `gaps` maps a position whose parent is unknown to the position it was joined to: the nearest
    earlier one in the file.
    """

    positions: list[int] = field(default_factory=list)
    gaps: dict[int, int] = field(default_factory=dict)


def rows_of(stream: Stream) -> tuple[list[Row], list[int]]:
    """Return the objects in the lines of a stream and, in a parallel list, their record numbers."""
    rows: list[Row] = []
    records: list[int] = []
    for index, record in enumerate(stream.records, stream.first):
        for row in parse_line(record.data).objects:
            rows.append(row)
            records.append(index)
    return rows, records


def active_branch(
    rows: Sequence[Row], name: str, parent: str, belongs: Callable[[Row], bool]
) -> Branch:
    """Return the branch from the last record of the tree to its root.

    A missing parent does not cut the history. If no record has a name, the branch is all records of
    the tree in file order.
    """
    seen: dict[str, int] = {}
    for position, row in enumerate(rows):
        if belongs(row) and text_of(row.get(name)):
            seen.setdefault(text_of(row[name]), position)
    if not seen:
        return Branch([position for position, row in enumerate(rows) if belongs(row)])
    tree = sorted(seen.values())
    branch = Branch()
    walked: set[int] = set()
    at: int | None = tree[-1]
    while at is not None:
        walked.add(at)
        stated = text_of(rows[at].get(parent))
        above = seen.get(stated)
        if stated and (above is None or above in walked):
            above = _earlier(tree, at, walked)
            if above is not None:
                branch.gaps[at] = above
        at = above
    branch.positions = sorted(walked)
    return branch


def _earlier(tree: list[int], at: int, walked: set[int]) -> int | None:
    index = bisect_left(tree, at) - 1
    while index >= 0 and tree[index] in walked:
        index -= 1
    return tree[index] if index >= 0 else None


class Place:
    """Where in its tree a session is while its records are read; detects that the user went back.

    Going back means continuing from before the last prompt. `tip` and `asked` name the newest
    record and the last prompt. All of it but this turn's records travels in `carry`.
    """

    def __init__(self, path: Path, name: str, carry: Mapping[str, object]) -> None:
        self._past = Past(path, name)
        self._tip, self._asked = text_of(carry.get("tip")), text_of(carry.get("asked"))
        self._rewound = carry.get("rewound") is True
        self._here: dict[str, int] = {}

    def see(self, name: str, parent: str, turn_start: int) -> None:
        """Take in a record of the tree; `turn_start` is the byte where this turn begins."""
        if not name:
            return
        if self._asked and parent != self._tip and self._is_back(parent, turn_start):
            self._rewound = True
        self._here[name] = len(self._here)
        self._tip = name

    def _is_back(self, parent: str, before: int) -> bool:
        if parent in self._here:
            return self._here[parent] < self._here.get(self._asked, -1)
        if not parent:
            return True
        position = self._past.position(parent, before)
        if self._asked in self._here:
            return position >= 0
        return 0 <= position < self._past.position(self._asked, before)

    def ask(self, name: str) -> bool:
        """Note that the last record seen is a prompt that opens a turn; True if after a rewind."""
        rewound, self._rewound = self._rewound, False
        self._asked = name or self._asked
        return rewound

    def close(self) -> dict[str, object]:
        """Return what the next turn must know about this one."""
        self._here = {}
        return {"tip": self._tip, "asked": self._asked, "rewound": self._rewound}
