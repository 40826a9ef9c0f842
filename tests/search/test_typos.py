from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.search.typos import distance, nearest, slips

_WORDS = st.text("abcd", min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("token", "token", 0), ("tokne", "token", 1), ("tken", "token", 1), ("tokken", "token", 1),
        ("tokem", "token", 1), ("otkne", "token", 2), ("ab", "ba", 1), ("", "ab", 2),
    ],
)  # fmt: skip
def test_distance(one: str, other: str, expected: int) -> None:
    assert distance(one, other, 9) == expected


@given(_WORDS, _WORDS, st.integers(1, 3))
def test_a_bound_changes_no_answer_within_it(one: str, other: str, most: int) -> None:
    whole = distance(one, other, 99)
    bounded = distance(one, other, most)
    assert bounded == whole if whole <= most else bounded > most


@given(_WORDS, _WORDS)
def test_distance_goes_both_ways(one: str, other: str) -> None:
    assert distance(one, other, 99) == distance(other, one, 99)


def test_how_many_slips() -> None:
    assert [slips("x" * length) for length in (1, 4, 5, 12, 13)] == [1, 1, 2, 2, 3]


def test_nearest_first_then_the_frequent_ones() -> None:
    known = [("token", 9), ("taken", 50), ("broken", 99), ("to", 5), ("tokens2", 3), ("tokne", 1)]
    assert nearest("tokne", "tokn", known) == [(1, "token"), (2, "taken")]


def test_a_word_with_digits_may_be_another_one_with_digits() -> None:
    assert nearest("utf9", "utf9", [("utf8", 1)]) == [(1, "utf8")]
    assert nearest("utfx", "utfx", [("utf8", 1)]) == []


def test_a_slip_before_an_ending() -> None:
    assert nearest("comitting", "comit", [("commit", 1)]) == [(1, "commit")]
