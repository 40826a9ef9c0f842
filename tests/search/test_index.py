"""What stands in a message is found, and what is forgotten is gone."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gitsession.search import database, texts

from .shelf import Shelf, said

pytestmark = pytest.mark.skipif(not database.has_full_text(), reason="SQLite without FTS5")
_LETTERS = st.sampled_from("abcdefßéİǅ _-./:'\"*()^中文字かな토큰กข🙂\u0301\u200d09\tAZ\n")
_TEXTS = st.text(_LETTERS, min_size=1, max_size=40)
_WIDE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
_few = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@_few
@given(st.one_of(_TEXTS, _WIDE), st.data())
def test_every_part_of_three_characters_finds_its_message(text: str, data: st.DataObject) -> None:
    shelf = Shelf()
    shelf.put("s", said("something else", text))
    if len(text) < 3:
        return
    start = data.draw(st.integers(0, len(text) - 3))
    part = text[start : data.draw(st.integers(start + 3, len(text)))]
    if not part.strip() or '"' in part or part != part.strip():
        return
    assert 2 in shelf.numbers(part)
    assert 2 in shelf.numbers(part, exact=True)


@_few
@given(st.one_of(_TEXTS, _WIDE), st.data())
@example("é", None)
def test_every_word_finds_its_message(text: str, data: st.DataObject | None) -> None:
    shelf = Shelf()
    shelf.put("s", said("something else", text))
    words = [text[word.start : word.end] for word in texts.words(text)]
    for word in words[:5]:
        if word.isalnum():
            assert 2 in shelf.numbers(word), word


@pytest.mark.parametrize("asked", ["中", "中文", "文字", "か", "토큰", "กข"])
def test_one_and_two_characters_of_scripts_without_spaces(asked: str) -> None:
    shelf = Shelf()
    shelf.put("s", said("前中文字后 ひらかな 새토큰을 กขค", "none"))
    assert shelf.numbers(asked) == [1]


_HISTORY = st.lists(st.sampled_from(["ask", "answer", "go on", "中文", "ask"]), max_size=12)


@_few
@given(_HISTORY, st.data())
def test_an_index_of_steps_is_the_one_of_one_go(history: list[str], data: st.DataObject) -> None:
    steps, once = Shelf(), Shelf()
    at = 0
    while at < len(history):
        at = data.draw(st.integers(at + 1, len(history)))
        steps.put("s", said(*history[:at], time=7), at=9)
    once.put("s", said(*history, time=7), at=9)
    if history:
        assert steps.rows() == once.rows()


@_few
@given(st.lists(st.tuples(st.sampled_from("abc"), _HISTORY), max_size=6), st.sampled_from("abc"))
def test_what_is_dropped_leaves_no_word(puts: list[tuple[str, list[str]]], gone: str) -> None:
    all_of_them, others = Shelf(), Shelf()
    for at, (session, history) in enumerate(puts, 1):
        all_of_them.put(session, said(*history), at=at)
        if session != gone:
            others.put(session, said(*history), at=at)
    all_of_them.index.drop([gone])
    assert all_of_them.rows() == others.rows()


def test_an_older_version_keeps_what_the_newer_one_lacks() -> None:
    shelf = Shelf()
    shelf.put("s", said("before the cut", "common"), at=1)
    shelf.put("s", said("summary", "common"), at=2, keep=1)
    assert shelf.numbers("before") == [1]
    shelf.put("s", said("summary", "common"), at=3)
    assert shelf.numbers("before") == []


def test_equal_messages_are_two() -> None:
    shelf = Shelf()
    shelf.put("s", said("continue", "continue", time=5))
    assert shelf.numbers("continue") == [1, 2]


def test_a_text_of_many_is_stored_once() -> None:
    shelf = Shelf()
    for name in "abc":
        shelf.put(name, said("the same long output"))
    assert len(shelf.rows()["docs"]) == 1
    assert shelf.ask("output").total == 3


def test_killed_in_the_middle_of_a_session_nothing_of_it_stands() -> None:
    shelf = Shelf()
    before = shelf.rows()
    with pytest.raises(KeyboardInterrupt), shelf.index.filling("s") as filling:
        filling.start_anew()
        raise KeyboardInterrupt
    assert shelf.rows() == before and shelf.index.points() == {}
