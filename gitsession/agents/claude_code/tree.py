"""The active path through the tree of a Claude Code session: the records a resume would see."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gitsession.agents.claude_code.records import (
    CONVERSATION,
    TREE,
    Row,
    calls,
    is_side,
    message_id,
    results,
)
from gitsession.agents.lenient import text_of


@dataclass(slots=True)
class Path:
    """Positions (in the given rows) on the active path, ascending.

    `gaps` maps a position whose parent is unknown to the position it was joined to: the nearest
    earlier one in the file.
    """

    positions: list[int] = field(default_factory=list)
    gaps: dict[int, int] = field(default_factory=dict)


def is_subagents(rows: Iterable[Row]) -> bool:
    """Whether the file began as a subagent's, according to its first conversation record.

    A checkout may since have continued it as a conversation of its own.
    """
    return next((is_side(row) for row in rows if row.get("type") in CONVERSATION), False)


def active_path(rows: Sequence[Row]) -> Path:
    """Return the path from the active leaf upward, with parallel calls and their results.

    Those branch off it. Nothing before a compaction is left out; a missing parent does not cut the
    history.
    """
    side = is_subagents(rows)
    seen: dict[str, int] = {}
    for position, row in enumerate(rows):
        name = text_of(row.get("uuid"))
        if name and row.get("type") in TREE and (side or not is_side(row)):
            seen.setdefault(name, position)
    tree = sorted(seen.values())
    path = Path()
    walked: set[int] = set()
    at: int | None = _leaf(rows, seen, tree)
    while at is not None:
        walked.add(at)
        above = _above(rows[at], seen)
        if above is None or above in walked:
            above = _earlier(tree, at, walked)
            if above is not None and not _is_boundary(rows[at]):
                path.gaps[at] = above
        at = above
    walked |= _beside(rows, tree, walked)
    path.positions = sorted(walked)
    return path


def _leaf(rows: Sequence[Row], seen: dict[str, int], tree: list[int]) -> int | None:
    """Return the last record of the tree, unless a later `last-prompt` row names another one."""
    for position in range(len(rows) - 1, tree[-1] if tree else -1, -1):
        row = rows[position]
        if row.get("type") == "last-prompt" and text_of(row.get("leafUuid")) in seen:
            return seen[text_of(row["leafUuid"])]
    return tree[-1] if tree else None


def _above(row: Row, seen: dict[str, int]) -> int | None:
    for name in ("parentUuid", "logicalParentUuid"):
        position = seen.get(text_of(row.get(name)))
        if position is not None:
            return position
    return None


def _is_boundary(row: Row) -> bool:
    return row.get("subtype") == "compact_boundary"


def _earlier(tree: list[int], at: int, walked: set[int]) -> int | None:
    index = bisect_left(tree, at) - 1
    while index >= 0 and tree[index] in walked:
        index -= 1
    return tree[index] if index >= 0 else None


def _beside(rows: Sequence[Row], tree: list[int], walked: set[int]) -> set[int]:
    """Return the other pieces of the API messages on the path, and all their calls' results."""
    spoken = {message_id(rows[at]) for at in walked if rows[at].get("type") == "assistant"}
    found = {
        at for at in tree if rows[at].get("type") == "assistant" and message_id(rows[at]) in spoken
    }
    made = {call_id for at in walked | found for call_id, _, _ in calls(rows[at])}
    answers = {
        at
        for at in tree
        if any(text_of(block.get("tool_use_id")) in made for block in results(rows[at]))
    }
    return found | answers
