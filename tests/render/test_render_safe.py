"""Nothing that a terminal would obey or hide survives, and widths are what a terminal draws."""

from __future__ import annotations

import tracemalloc
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.model.message import Message, Part
from gitsession.render import safe, show

ANY = st.text(st.characters(), max_size=80)  # every code point, half surrogates too
HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            "\x00\x07\x08\x1b\x7f\x85\x9b\u200b\u200d\u2028\u202e\u2066\ufeff\U000e0041"
        ),
        st.sampled_from("\ud83d\ude00\u3164\ufe00\ufe0f\U000e0101\r\n\t ab漢😀é"),
    ),
    max_size=60,
)
TEXTS = st.one_of(ANY, HOSTILE)


def dangers(text: str, allowed: str = "") -> list[str]:
    return [
        f"U+{ord(c):04X}"
        for c in text
        if c not in allowed
        and (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(c) in safe._INVISIBLE)
    ]


@given(TEXTS)
def test_a_line_is_one_safe_line(text: str) -> None:
    shown = safe.line(text)
    assert not dangers(shown)
    shown.encode("utf-8")


@given(TEXTS)
def test_a_block_keeps_only_its_line_breaks(text: str) -> None:
    shown = safe.block(text)
    assert not dangers(shown, allowed="\n")
    assert shown.count("\n") == text.count("\n")
    shown.encode("utf-8")


@given(TEXTS)
def test_markup_keeps_only_line_breaks_and_tabs(text: str) -> None:
    shown = safe.markup(text)
    assert not dangers(shown, allowed="\n\t")
    shown.encode("utf-8")


@given(TEXTS)
def test_a_line_of_a_file_shows_its_carriage_return(text: str) -> None:
    shown = safe.code_line(text)
    assert not dangers(shown)
    assert shown.count("␍") >= text.count("\r")


@given(TEXTS, st.integers(0, 40))
def test_what_is_cut_fits(text: str, width: int) -> None:
    shown = safe.cut(safe.line(text), width)
    assert safe.cells(shown) <= width
    assert safe.cells(safe.short(text, width)) <= width
    whole = safe.line(text)
    assert shown == whole or shown == "" or shown.endswith("…")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=60))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    if not any(ord(c) in safe._INVISIBLE for c in text):
        assert safe.block(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\u202eb", "a<U+202E>b"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("\x9b31m", "<U+009B>31m"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("two\n\n lines\tand\r\na tab", "two  lines and a tab"),
        ("narrow\u202fspace　wide", "narrow\u202fspace　wide"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("\ufe0f", "<U+FE0F>"),
        ("tag\U000e0041", "tag<U+E0041>"),
        ("👨\u200d👩", "👨<U+200D>👩"),
    ],
)
def test_examples(text: str, shown: str) -> None:
    assert safe.line(text) == shown


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1), ("😀", 2), ("🇫🇷", 2), ("ｱ", 1), ("Ａ", 2)],
)
def test_cells(text: str, cells: int) -> None:
    assert safe.cells(text) == cells


def test_columns_line_up_with_wide_characters() -> None:
    assert safe.pad("日本", 6) == "日本  "
    assert safe.pad_left("日", 4) == "  日"
    assert safe.cut("日本語", 5) == "日本…"
    assert safe.cut("日本語", 4) == "日…"


def test_a_huge_title_costs_nothing() -> None:
    assert safe.short("x" * 50_000_000, 10) == "xxxxxxxxx…"


@given(TEXTS, st.integers(1, 4))
def test_the_beginning_of_a_block_is_its_first_rows(text: str, rows: int) -> None:
    whole = safe.block(text).strip("\n").split("\n")
    assert safe.beginning(text, rows, 9) == ([safe.cut(row, 9) for row in whole[:rows]], len(whole))


def test_of_a_giant_output_no_more_is_copied_than_is_shown() -> None:
    output = Part("tool_result", "\tword after word\r\n" * 1_000_000, call_id="c1")
    item = Message("assistant", (Part("tool_call", name="Bash", call_id="c1"), output))
    tracemalloc.start()
    try:
        rows = list(show.message(item, 1))
        assert tracemalloc.get_traced_memory()[1] < len(output.text) / 10
    finally:
        tracemalloc.stop()
    assert rows[-1].strip() == "… 999,994 more lines"
