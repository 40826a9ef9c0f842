"""Fewer events, and which of them stay."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as some

from gitsession.events.keep import newest, without_repeats
from gitsession.model.event import Event


def event(data: str, priority: int = 4, kind: str = "file_read", message: int = 1) -> Event:
    return Event(kind, "file", priority, data, message)


def kept(letters: str) -> str:
    return "".join(one.data for one in without_repeats(event(letter) for letter in letters))


def test_CM3_a_repeat_within_five_is_left_out() -> None:
    assert kept("AA") == "A"
    assert kept("AbcdeA") == "Abcde"
    assert kept("AbcdefA") == "AbcdefA"


def test_CM3_only_events_that_are_kept_count_among_the_five() -> None:
    assert kept("AbbbbbbbA") == "Ab"


def test_CM3_another_type_or_other_data_is_no_repeat() -> None:
    same = [event("A"), event("A", kind="file_edit"), event("A", message=9), event("B")]
    assert [(one.type, one.data) for one in without_repeats(same)] == [
        ("file_read", "A"),
        ("file_edit", "A"),
        ("file_read", "B"),
    ]


def test_CM4_of_a_thousand_and_one_a_least_important_goes() -> None:
    many = [event("rule", 1), *(event(str(n), message=n) for n in range(1_000))]
    left = newest(many)
    assert len(left) == 1_000
    assert left[0].data == "rule"
    assert "0" not in {one.data for one in left}


def test_CM4_rules_prompts_and_tasks_survive_five_thousand_others() -> None:
    draw = random.Random(4)
    worth = [event(f"p1 {n}", 1, kind) for n in range(100) for kind in ("rule", "user_prompt")]
    many = worth + [event(str(n), message=n) for n in range(5_000)]
    draw.shuffle(many)
    left = newest(many)
    assert {one.data for one in worth} <= {one.data for one in left}
    last = [one.data for one in many if one.priority == 4][-800:]
    assert [one.data for one in left if one.priority == 4] == last


def test_CM4_the_more_important_goes_last_and_of_equals_the_older_first() -> None:
    many = [event("a", 3), event("b", 2), event("c", 3), event("d", 4)]
    assert [one.data for one in newest(many, 3)] == ["a", "b", "c"]
    assert [one.data for one in newest(many, 2)] == ["b", "c"]
    assert [one.data for one in newest(many, 1)] == ["b"]
    assert newest(many, 0) == []


@given(some.lists(some.integers(1, 4), max_size=60), some.integers(0, 40))
def test_no_less_important_event_is_kept_before_a_more_important_one(
    priorities: list[int], most: int
) -> None:
    many = [event(str(at), priority) for at, priority in enumerate(priorities)]
    left = newest(many, most)
    assert len(left) == min(most, len(many))
    assert [one for one in many if one in left] == left
    gone = [one.priority for one in many if one not in left]
    assert not gone or not left or max(one.priority for one in left) <= min(gone)
