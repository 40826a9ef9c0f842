"""Walking plain values: hearing every text of one, and making all of them clean."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitsession.model.session import Info, Session
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.records import RecordReader
from gitsession.redaction.scanner import Scanner
from gitsession.redaction.sessions import SessionWalk
from gitsession.redaction.values import cleaned, is_heard
from tests.redaction.made import Made

MADE = Made(81)
Pair = namedtuple("Pair", "left right")
SIMPLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
TEXTS = st.text(max_size=8) | st.binary(max_size=8)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SIMPLE | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=3)
        | st.builds(Pair, inner, inner)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_heard_is_what_is_cleaned(value: Any) -> None:
    heard: list[tuple[str, str]] = []
    seen: list[tuple[str, str]] = []

    def hear(text: str, name: str) -> bool:
        heard.append((text, name))
        return False

    def clean(text: str, name: str, _place: str) -> str:
        seen.append((text, name))
        return text

    assert not is_heard(value, "", hear)
    cleaned(value, "", clean)
    assert sorted(heard) == sorted(told for told in seen if told[0])


@given(VALUES, st.sets(st.tuples(st.text(max_size=2), st.just(""))))
def test_what_is_calm_is_not_heard(value: Any, calm: set[tuple[str, str]]) -> None:
    every: list[tuple[str, str]] = []
    heard: list[tuple[str, str]] = []
    is_heard(value, "", lambda text, name: bool(every.append((text, name))))  # type: ignore[func-returns-value]
    is_heard(value, "", lambda text, name: bool(heard.append((text, name))), calm)  # type: ignore[func-returns-value]
    assert heard == [told for told in every if told not in calm]


@given(VALUES, st.text(min_size=1, max_size=3))
def test_one_loud_text_makes_the_value_loud(value: Any, loud: str) -> None:
    texts: list[str] = []
    found = is_heard(value, "", lambda text, _: texts.append(text) or text == loud)  # type: ignore[func-returns-value]
    assert found == (loud in texts)


def test_a_word_is_judged_anew_when_something_was_learned() -> None:
    """The memory of words that come again with every turn says nothing that is no longer true."""
    scanner = Scanner(Placeholders(b"k" * 32, frozenset()))
    value = MADE.token()
    text = f"see {value}"
    assert scanner.word(text) == scanner.word(text) == []
    scanner.learned.add(value.encode(), "secret")
    assert scanner.word(text) == [(4, len(text), "secret")]
    scanner.forget()
    assert scanner.word(text) == [(4, len(text), "secret")]
    assert scanner.word(text, exact=True) == [], "an id is masked by its own form only"


def test_a_calm_text_is_heard_anew_when_something_was_learned() -> None:
    scanner = Scanner(Placeholders(b"k" * 32, frozenset()))
    reader = RecordReader(scanner)
    placeholders = Placeholders(b"k" * 32, frozenset())
    value = MADE.token()
    told = Session(Info("agent", "id"), carry={"tip": f"see {value}"})

    def redact() -> Session:
        return SessionWalk(reader, placeholders, {}).redact(told).session

    assert redact() == redact() == told
    assert (f"see {value}", "tip") in scanner.calm()
    scanner.learned.add(value.encode(), "secret")
    assert not scanner.calm()
    assert value not in str(redact())


def test_texts_are_calm_up_to_a_size_and_a_number() -> None:
    scanner = Scanner(Placeholders(b"k" * 32, frozenset()))
    scanner.keep_calm("x" * 5000, "tip")
    assert not scanner.calm()
    for number in range(5_001):
        scanner.keep_calm(str(number), "tip")
    assert scanner.calm() == {("5000", "tip")}
