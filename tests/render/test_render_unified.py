"""A unified diff, applied to the old text, gives the new one; and it stays fast on odd files."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gitsession.model.align import align
from gitsession.model.diff import FileChange
from gitsession.render import diff_files, unified
from gitsession.render.palette import PLAIN

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d", "日\n"]), max_size=25)


def apply(old: list[str], hunks: list[unified.Hunk]) -> list[str]:
    said: list[str] = []
    place = 0
    for hunk in hunks:
        start = hunk.old[0] - 1
        said += old[place:start]
        place = start
        assert len(said) == hunk.new[0] - 1
        for at, row in enumerate(hunk.lines):
            bare = at + 1 < len(hunk.lines) and hunk.lines[at + 1].startswith("\\")
            line = row[1:] + ("" if bare else "\n")
            if row[0] in " -":
                assert old[place] == line
                place += 1
            if row[0] in " +":
                said.append(line)
    return said + old[place:]


@given(LINES, LINES, st.integers(0, 4))
def test_applied_to_the_old_it_gives_the_new(old: list[str], new: list[str], context: int) -> None:
    hunks = list(unified.hunks(old, new, context))
    assert apply(old, hunks) == new
    assert bool(hunks) == (old != new)


@given(LINES, LINES)
def test_counts_are_those_of_the_hunks(old: list[str], new: list[str]) -> None:
    rows = [row for hunk in unified.hunks(old, new) for row in hunk.lines]
    added, removed = unified.counts(old, new)
    assert added == sum(row[0] == "+" for row in rows)
    assert removed == sum(row[0] == "-" for row in rows)


@given(st.lists(st.integers(0, 6), max_size=30), st.lists(st.integers(0, 6), max_size=30))
def test_an_alignment_rises_and_pairs_equal_things(old: list[int], new: list[int]) -> None:
    pairs = align(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    assert len(align(old, old)) == len(old)


@given(st.text(max_size=60))
def test_lines_are_cut_at_line_feeds_only(text: str) -> None:
    lines = unified.split(text)
    assert "".join(lines) == text
    assert all(line.find("\n") in (-1, len(line) - 1) for line in lines)


def test_headings_as_in_git() -> None:
    (hunk,) = unified.hunks([], ["a\n", "b"])
    assert hunk.heading == "@@ -0,0 +1,2 @@"
    assert hunk.lines == ["+a", "+b", "\\ No newline at end of file"]
    (hunk,) = unified.hunks(["a\n"], ["b\n"])
    assert hunk.heading == "@@ -1 +1 @@"


def test_files_that_have_nothing_in_common_take_linear_time() -> None:
    start = time.process_time()
    old = [f"{number}\n" for number in range(60_000)]
    list(unified.hunks(old, [f"{number}x\n" for number in range(60_000)]))
    list(unified.hunks(old, old[::-1]))
    list(unified.hunks(["x\n", "y\n"] * 30_000, ["y\n", "z\n"] * 30_000))
    assert time.process_time() - start < 10


def test_the_names_are_those_that_git_would_print() -> None:
    changes = [FileChange(path, "changed", b"a\n", b"b\n") for path in ("src/a.py", "/tmp/a.py")]
    said = list(diff_files.file_lines("Files", changes, PLAIN))
    names = [line for line in said if line.startswith(("---", "+++"))]
    assert names == ["--- a/src/a.py", "+++ b/src/a.py", "--- a/tmp/a.py", "+++ b/tmp/a.py"]
