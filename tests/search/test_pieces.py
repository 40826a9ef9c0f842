"""A text of many megabytes lies in the index in pieces, and is found as one."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.search import database, texts

from .shelf import Shelf, said

pytestmark = pytest.mark.skipif(not database.has_full_text(), reason="SQLite without FTS5")


@cache
def _long(characters: int, seed: int = 1) -> str:
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefgh", k=chance.randint(2, 9))) for _ in range(500)]
    return " ".join(chance.choices(words, k=characters // 4))[:characters]


@given(st.integers(1, 200), st.integers(0, 2**32), st.booleans())
def test_every_phrase_stands_whole_in_a_piece(length: int, seed: int, spaces: bool) -> None:
    whole = _long(texts.PIECE * 2 + 99) if spaces else "中文" * (texts.PIECE + 99)
    pieces = list(texts.pieces(whole))
    assert len(pieces) == 3 and max(map(len, pieces)) <= texts.PIECE
    near = texts.PIECE * random.Random(seed).randint(1, 2) - 600
    start = near + seed % 1200
    assert any(whole[start : start + length] in piece for piece in pieces)


def test_a_short_text_is_one_piece() -> None:
    assert list(texts.pieces("")) == [""]
    assert list(texts.pieces("a" * texts.PIECE)) == ["a" * texts.PIECE]


def test_a_giant_text_is_one_hit_wherever_the_word_stands() -> None:
    whole = _long(texts.PIECE * 2)
    for word, place in (("wombat", 0), ("quokka", texts.PIECE - 3), ("numbat", len(whole))):
        whole = f"{whole[:place]} {word} {whole[place:]}"
    shelf = Shelf()
    shelf.put("s", said("none", whole))
    for word in ("wombat", "quokka", "numbat"):
        assert shelf.numbers(word) == [2]
        assert shelf.ask(word).total == 1
    shelf.index.drop(["s"])
    assert not shelf.rows()["docs"]
