"""The bars of `diff --stat`: one scale for all files, as git's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.model.diff import FileChange, SessionDiff, TurnChange
from gitsession.render import diff
from gitsession.render.diff_files import bars
from gitsession.render.palette import PLAIN

_CHANGE = FileChange("a.py", "changed")
_COUNT = st.integers(0, 5_000)


@pytest.mark.parametrize(
    ("added", "removed", "said"),
    [(81, 0, " 81 " + "+" * 11), (2, 2, "  4 +-"), (171, 0, "171 " + "+" * 24), (0, 0, "  0")],
)
def test_bars_share_one_scale(added: int, removed: int, said: str) -> None:
    assert bars(_CHANGE, added, removed, 171, 24, PLAIN) == said


@given(_COUNT, _COUNT, _COUNT, st.integers(10, 40))
def test_every_side_that_changed_shows_and_none_is_too_long(
    added: int, removed: int, more: int, room: int
) -> None:
    most = added + removed + more
    bar = bars(_CHANGE, added, removed, most, room, PLAIN).strip().partition(" ")[2]
    assert ("+" in bar, "-" in bar) == (added > 0, removed > 0)
    assert len(bar) <= room and (most > room or len(bar) == added + removed)


@pytest.mark.parametrize("count", [20, 21, 300])
def test_a_long_row_of_turns_shows_its_ends(count: int) -> None:
    """As over a compaction, which takes hundreds of turns away at once."""
    gone = tuple(TurnChange("removed", f"prompt {n}", (), n) for n in range(1, count + 1))
    rows = list(diff.stat(SessionDiff(turns=(*gone, TurnChange("added", "", ())))))
    assert rows[0].startswith("- turn 1  prompt 1 ") and rows[-2].startswith("+ before the first")
    assert rows[-3].startswith(f"- turn {count}  prompt {count} ")
    assert len(rows) == (count if count <= 20 else 7) + 2
    assert (f"- … {count - 6} more turns" in "\n".join(rows)) == (count > 20)
