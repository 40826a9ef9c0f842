"""The vendor rules: the compiled module is what the YAML says, and each rule can be met."""

from __future__ import annotations

import random
import re
import string
from importlib import import_module

import pytest

from gitsession.redaction import build, redact_text
from gitsession.redaction.compiled import RULES
from gitsession.redaction.forms import ANCHORS
from gitsession.redaction.placeholders import OTHER_RULES
from tests.redaction.made import Made


def test_compiled_rules_equal_the_yaml() -> None:
    with open(build.SOURCE, "rb") as source, open(build.TARGET, encoding="utf-8") as target:
        assert build.render(source.read()) == target.read()


def test_every_rule_is_well_formed() -> None:
    assert len({row[0] for row in RULES}) >= 100
    assert len(set(RULES)) == len(RULES)
    for name, anchors, pattern, before, back, _, _, _ in RULES:
        assert re.fullmatch(r"[a-z0-9.-]+", name)
        assert anchors and all(anchor == anchor.lower() for anchor in anchors), name
        assert re.compile(pattern)
        assert not before or (re.compile(before) and back), name


def test_no_rule_shares_its_name_with_a_form() -> None:
    assert not OTHER_RULES & {row[0] for row in RULES} - {"twilio-key", "airtable-token"}


@pytest.mark.parametrize("rule", sorted(Made().vendor_tokens()))
@pytest.mark.parametrize(
    "around", ["use {} now", "“{}”", "密钥{}用完", '{{"a": "{}"}}', "x={}&y=1", "[{}](b)", "<{}>"]
)
def test_vendor_token_is_masked_in_any_surrounding(rule: str, around: str) -> None:
    token = Made(7).vendor_tokens()[rule]
    masked = redact_text(around.format(token))
    assert token not in masked
    assert f"__REDACTED_{rule}_" in masked
    left, right = around.split("{}")[0], around.rsplit("{}")[-1]
    assert masked.startswith(left.replace("{{", "{"))
    assert masked.endswith(right.replace("}}", "}"))


def test_equal_secrets_have_equal_placeholders_and_others_not() -> None:
    one, other = Made(1).github(), Made(2).github()
    names = re.findall(r"__REDACTED_[a-z-]+_[0-9a-f]{8}__", redact_text(f"{one} {other}\n{one}"))
    assert names[0] == names[2] != names[1]


def test_the_key_makes_the_placeholder() -> None:
    token = Made(1).github()
    assert redact_text(token, b"a" * 32) == redact_text(token, b"a" * 32)
    assert redact_text(token, b"a" * 32) != redact_text(token, b"b" * 32)


def test_four_x_in_a_random_value_are_chance() -> None:
    chance = random.Random(4)
    letters = (string.ascii_letters + string.digits).replace("x", "").replace("X", "")
    for run in ("xxxx", "XXXX"):
        for at in range(33):
            body = "".join(chance.choice(letters) for _ in range(36))
            token = "gh" + "p_" + body[:at] + run + body[at + 4 :]
            assert token not in str(redact_text(f"use {token} now")), token
    for at in range(44):  # a kind that has lower-case letters alone
        body = "".join(chance.choice(letters[:25]) for _ in range(48))
        token = "s" + "k-" + body[:at] + "xxxxx"[: 4 + at % 2] + body[at + 4 + at % 2 :]
        assert token not in str(redact_text(f"SILICONFLOW_API_KEY={token}")), token


@pytest.mark.parametrize(
    "dummy",
    [
        "gh" + "p_" + "x" * 36,
        "gh" + "p_" + "abcd" + "x" * 32,
        "gh" + "p_" + "xxxx" * 3 + "1234567890abcdefghijklmn",
        "gh" + "p_" + "your_token_here_xxxx_your_token_her",
        "AK" + "IAIOSFODNN7EXAMPLE",
        "GOC" + "SPX-xxxx-your-client-secret-here",
    ],
)
def test_dummies_of_documentation_stay(dummy: str) -> None:
    assert dummy in str(redact_text(f"use {dummy} now"))


@pytest.mark.parametrize(
    "token",
    [
        "np" + "m_ZmiKticcanSatagLmtakiuFE55Acbb19YImW",  # words by chance, joined to its prefix
        "bAc8" + "Q~xF3a_9ckxwAwLVXTO~C...tsv9nbxUX.VN",  # dots by chance
    ],
)
def test_what_looks_like_words_or_a_cut_by_chance(token: str) -> None:
    assert token not in str(redact_text(f"KEY={token}\n"))


@pytest.mark.parametrize("module", ANCHORS)
def test_the_anchors_of_each_module_are_those_of_its_detectors(module: str) -> None:
    """They are told apart from them, so that the module need not be loaded."""
    rows = import_module(f"gitsession.redaction.{module}").detectors()
    assert ANCHORS[module] == tuple(anchor for anchor, _, _ in rows)
