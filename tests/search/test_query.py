from __future__ import annotations

import pytest

from gitsession.errors import UsageError
from gitsession.search.query import Wanted, holds, parse, spans


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["refresh", "token"], [Wanted("refresh"), Wanted("token")]),
        (["refresh token"], [Wanted("refresh token", phrase=True)]),
        (['"refresh token" expiry'], [Wanted("refresh token", phrase=True), Wanted("expiry")]),
        (['open"quote here'], [Wanted("open"), Wanted("quote here", phrase=True)]),
        (["a", "a", " a "], [Wanted("a")]),
        (["half\ud800"], [Wanted("half\ufffd")]),
    ],
)
def test_parse(texts: list[str], expected: list[Wanted]) -> None:
    assert list(parse(texts)) == expected


def test_exact_takes_everything_as_it_is() -> None:
    assert parse(['say "a  b"'], exact=True) == (Wanted('say "a  b"', exact=True),)


@pytest.mark.parametrize("texts", [[], [""], ["  "], ['""'], list(map(str, range(51)))])
def test_nothing_or_too_much_to_look_for(texts: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(texts)


@pytest.mark.parametrize(
    ("wanted", "text", "expected"),
    [
        ("token", "a token here", ["token"]),
        ("token", "two Tokens, TOKEN", ["Token", "TOKEN"]),
        ("migrations", "we migrated it", ["migrated"]),
        ("刷新", "请刷新令牌", ["刷新"]),
        ("令", "请刷新令牌", ["令"]),
        ("토큰", "새 토큰을 쓴다", ["토큰"]),
        ("cafe", "un Café noir", ["Café"]),
        ("go", "let it go, mango", ["go"]),
        ("src/auth.py", "see src/auth.py:12", ["src/auth.py"]),
        ("missing", "not here", []),
    ],
)
def test_spans(wanted: str, text: str, expected: list[str]) -> None:
    (one,) = parse([wanted])
    found = spans(one, text)
    assert [text[start:end] for start, end in found] == expected
    assert holds(one, text) == bool(expected)


def test_exact_is_of_one_case_and_no_stem() -> None:
    (one,) = parse(["Token"], exact=True)
    assert not holds(one, "tokens")
    assert holds(one, "refreshTokens")


def test_a_phrase_is_found_by_its_stems() -> None:
    (one,) = parse(["refreshing tokens"])
    assert holds(one, "it refreshes  token by token")
    assert not holds(one, "tokens are refreshed")
