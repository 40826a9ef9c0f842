"""redaction.yaml: what a user and a project add, and what a project may not."""

from __future__ import annotations

import time

import pytest
import yaml

from gitsession.errors import FormatError
from gitsession.redaction import Redactor
from gitsession.redaction.settings import Settings, settings_in

KEY = b"k" * 32
OWN = """
rules:
  - id: acme-key
    anchors: [acme_]
    pattern: 'acme_[A-Za-z0-9]{20}'
categories: [email, home-path]
words: [Bluebird]
"""
TEXT = (
    "acme_Q7xk29LmPz04TrYbNc81 of ada@example.org in /home/ada/x at 10.1.2.3 for the bluebird team"
)


def read(text: str) -> Settings:
    return settings_in(yaml.safe_load(text), "redaction.yaml")


def test_rules_categories_and_words_are_masked() -> None:
    own = read(OWN)
    scanner = Redactor(KEY, lambda: own)
    clean = str(scanner.clean(TEXT))
    for gone in ("acme_Q7", "ada@example.org", "/home/ada", "bluebird"):
        assert gone not in clean
    assert "10.1.2.3" in clean  # a category that nobody switched on
    assert "__REDACTED_acme-key_" in clean and "__REDACTED_word_" in clean
    assert str(Redactor(KEY, lambda: own).clean(clean)) == clean
    assert str(Redactor(KEY).clean(TEXT)) == TEXT
    assert scanner.provenance["rules"] != Redactor(KEY).provenance["rules"]


def test_an_allowed_placeholder_stays() -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    [finding] = Redactor(KEY).findings_in(f"token {token}")
    own = read(f"allow: [{finding.placeholder}]")
    assert str(Redactor(KEY, lambda: own).clean(f"token {token}")) == f"token {token}"
    assert token not in str(Redactor(b"x" * 32, lambda: own).clean(f"token {token}"))


def test_a_project_may_only_add() -> None:
    more = "allow: [__REDACTED_secret_01234567__]\nattach: ['.env']\nallow_paths: ['*']"
    theirs = read(OWN + more)
    untrusted = Settings().and_also(theirs, trusted=False)
    assert untrusted.rules and untrusted.categories
    assert not untrusted.allow and not untrusted.attach and not untrusted.allow_paths
    assert Settings().and_also(theirs, trusted=True).attach == (".env",)


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "a*", "x{2,}", "(?:a{1,9}){1,9}", "(a)\\1", "[", "a{1,99999}", "(?:ab|c{2,})",
     "(?>(?:a+)+b)", "[a-z]{0,4096}[a-z]{0,4096}!", "(?:ab|abc?d?)" * 20 + "!", "a?" * 30 + "b",
     "(?i)a{0,999}A{0,999}b", "(?>(?:a|ab){0,30}c)", "(?=[a-f]{0,999}[0-9a-f]{0,999}g)x"],
)  # fmt: skip
def test_a_pattern_that_could_be_slow_or_is_wrong_is_refused(pattern: str) -> None:
    rule = {"id": "slow-one", "anchors": ["abc"], "pattern": pattern}
    with pytest.raises(FormatError, match="cannot be used"):
        settings_in({"rules": [rule]}, "redaction.yaml")


@pytest.mark.parametrize(
    "document",
    [
        [1], {"nothing": []}, {"rules": {"a": 1}}, {"rules": ["x"]}, {"categories": ["people"]},
        {"allow": ["hunter2"]}, {"words": [1]}, {"rules": [{"id": "X y", "anchors": ["abc"],
                                                              "pattern": "a"}]},
        {"rules": [{"id": "ab", "anchors": ["a"], "pattern": "a"}]},
    ],
)  # fmt: skip
def test_what_is_no_settings_is_refused(document: object) -> None:
    with pytest.raises(FormatError):
        settings_in(document, "redaction.yaml")


@pytest.mark.parametrize(
    "pattern",
    [r"acme_[A-Za-z0-9_-]{10,400}\.[A-Za-z0-9_-]{10,400}\.[A-Za-z0-9_-]{10,400}",
     r"key\s{0,10}[:=]\s{0,10}[\"']?(?P<s>[a-z]{20,100})[\"']?", "(?:ab|cd){1,4096}",
     "[a-z]{2,8}-[a-f0-9]{4,4096}", "(?:[a-f]|[g-z]){2,900}=", "(?i)acme[0-9]{1,90}x"],
)  # fmt: skip
def test_long_tokens_of_several_parts_are_taken(pattern: str) -> None:
    rule = {"id": "long-one", "anchors": ["abc"], "pattern": pattern}
    assert settings_in({"rules": [rule]}, "redaction.yaml").rules


def test_all_rules_of_a_file_together_are_bounded() -> None:
    rules = [{"id": f"r{n}", "anchors": ["abc"], "pattern": "abc[^!]{0,4096}!"} for n in range(99)]
    assert settings_in({"rules": rules[:9]}, "redaction.yaml").rules
    with pytest.raises(FormatError, match="together"):
        settings_in({"rules": rules}, "redaction.yaml")


def test_no_pattern_that_is_taken_takes_long() -> None:
    """The dearest that is taken, where its anchor stands and what follows fails everywhere."""
    rule = {"id": "dear", "anchors": ["abc"], "pattern": "abc[a-z]{0,150}[a-z]{0,150}!"}
    own = settings_in({"rules": [rule]}, "redaction.yaml")
    before = time.process_time()
    Redactor(KEY, lambda: own).clean("abc" + "a" * 6000)
    assert time.process_time() - before < 2
