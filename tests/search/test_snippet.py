from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitsession.search.query import parse
from gitsession.search.snippet import WIDTH, snippet


def test_the_line_with_most_words() -> None:
    text = "one token\n  the token is refreshed  \nrefresh\n"
    line, marks = snippet(text, parse(["refresh", "token"]))
    assert line == "the token is refreshed"
    assert [line[start:end] for start, end in marks] == ["token", "refresh"]


def test_a_long_line_is_cut_around_the_first_mark() -> None:
    text = "x " * 500 + "needle " + "y " * 500
    line, marks = snippet(text, parse(["needle"]))
    assert line.startswith("…") and line.endswith("…")
    assert [line[start:end] for start, end in marks] == ["needle"]
    assert len(line) <= WIDTH + 2


def test_marks_that_touch_are_one() -> None:
    line, marks = snippet("foobar", parse(["foo", "oba"]))
    assert [line[start:end] for start, end in marks] == ["fooba"]


def test_without_a_mark_the_first_line() -> None:
    assert snippet("\n\n first \nsecond", parse(["absent"])) == ("first", ())


_TEXTS = st.text(st.sampled_from("ab cß中\n\t"), max_size=400)


@given(_TEXTS, st.sampled_from(["abc", "中", "ab", "b c", "ss"]))
def test_marks_lie_in_the_line_and_in_order(text: str, asked: str) -> None:
    line, marks = snippet(text, parse([asked]))
    assert "\n" not in line
    ends = [at for mark in marks for at in mark]
    assert ends == sorted(ends) and all(0 <= at <= len(line) for at in ends)
    assert all(start < end for start, end in marks)
