"""Stems are those of SQLite's index, letter by letter."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.search import database
from gitsession.search.stems import stem

needs_full_text = pytest.mark.skipif(not database.has_full_text(), reason="SQLite without FTS5")
_ENDINGS = (
    "ational", "tional", "enci", "izer", "logi", "bli", "alli", "entli", "eli", "ousli", "ization",
    "ation", "ator", "alism", "iveness", "fulness", "aliti", "biliti", "icate", "ative", "alize",
    "ical", "ness", "ance", "er", "ible", "ement", "ment", "ent", "sion", "tion", "ion", "ism",
    "ate", "ous", "ize", "ed", "ing", "eed", "s", "es", "sses", "ies", "y", "e", "ll", "at", "bl",
    "iz", "tt",
)  # fmt: skip


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"),
        ("motoring", "motor"), ("conflated", "conflat"), ("hopping", "hop"), ("filing", "file"),
        ("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("vietnamization", "vietnam"),
        ("triplicate", "triplic"), ("hopefulness", "hope"), ("adoption", "adopt"),
        ("probate", "probat"), ("controll", "control"), ("roll", "roll"), ("is", "is"), ("", ""),
    ],
)  # fmt: skip
def test_examples_of_the_paper(word: str, expected: str) -> None:
    assert stem(word) == expected


@needs_full_text
@settings(max_examples=300, deadline=None)
@given(
    st.text("aeioubcdlstwxyz", max_size=6),
    st.lists(st.sampled_from(_ENDINGS), max_size=2).map("".join),
)
def test_same_as_the_index(begin: str, end: str) -> None:
    word = begin + end
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize='porter unicode61')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'row')")
    connection.execute("INSERT INTO t VALUES (?)", (word,))
    found = [row[0] for row in connection.execute("SELECT term FROM v")]
    connection.close()
    assert found == ([stem(word)] if word else [])
