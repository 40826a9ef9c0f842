"""With and without the compiled automaton: the same findings, on texts made to hit the anchors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.redaction.anchors import every, longest
from gitsession.redaction.compiled import RULES
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.scanner import Scanner
from tests.redaction.made import Made

pytest.importorskip("ahocorasick_rs")

MADE = Made(41)
PLACEHOLDERS = Placeholders(b"k", frozenset(row[0] for row in RULES))
FAST, PURE = Scanner(PLACEHOLDERS, fast=True), Scanner(PLACEHOLDERS, fast=False)
WORDS = [anchor.decode() for row in RULES for anchor in row[1]]
PIECES = st.sampled_from(
    [*WORDS, *MADE.vendor_tokens().values(), MADE.password(), MADE.token(), MADE.url()[0],
     "password", "API_KEY", "token", "secret", "密码", "=", ": ", " is ", '"', "'", "\n", " ", "://",
     "@", "Authorization: Bearer ", "\x1b[31m", "\u200b", "&#95;", "\\n", '\\"', "x", "-----BEGIN "]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=25).map("".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_both_ways_find_the_same(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert FAST.text(data) == PURE.text(data)
    assert FAST.exact(data) == PURE.exact(data)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=12, unique=True),
    st.binary(max_size=80),
)
def test_literals_are_found_alike(literals: list[bytes], text: bytes) -> None:
    text += b"".join(literals)
    assert sorted(every(literals)(text)) == sorted(every(literals, fast=False)(text))
    assert list(longest(literals)(text)) == list(longest(literals, fast=False)(text))


def test_learned_values_are_found_alike() -> None:
    values = [MADE.text(size).encode() for size in range(8, 60)]
    values += [value[:10] for value in values]
    text = b" ".join(values) + b"".join(values)
    for scanner in (FAST, PURE):
        for value in values:
            scanner.learned.add(value, "secret")
    assert FAST.text(text) == PURE.text(text) != []
