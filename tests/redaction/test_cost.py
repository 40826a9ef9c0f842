"""What redaction may cost: a budget per string, linear time, nothing heavy imported."""

from __future__ import annotations

import base64
import bz2
import gzip
import lzma
import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from gitsession.redaction import Redactor, forms, redact_text
from gitsession.redaction.budget import Budget, Exhausted
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.scanner import Scanner
from tests.redaction.made import Made, line, session, tool_result


def test_a_string_over_its_budget_is_withheld_alone() -> None:
    dense = "password=" * 200_000
    token = Made(71).github()
    redactor = Redactor(b"k")
    records = [tool_result(dense), tool_result(f"plain {token} text")]
    made = redactor.redact(session(records))
    first, second = (record.data for record in made.session.stream().records)
    assert b"password=" not in first and first.count(b"__REDACTED_unscanned_") == 1
    assert b"plain __REDACTED_github-token_" in second and second.endswith(b'text"}]}}\n')
    assert redactor.unscanned >= 1
    assert "unscanned" in {found.rule for found in made.findings}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_bomb_is_withheld(pack: Callable[[bytes], bytes]) -> None:
    bomb = base64.b64encode(pack(b"a b c " * 2_000_000)).decode()
    assert redact_text(f"x {bomb} y").startswith("__REDACTED_unscanned_")


@pytest.mark.parametrize("unit", ["licen=", "cookie=", "web" + "hook=", "cf" + "k_", "xo" + "xb-"])
def test_values_within_values_are_counted(unit: str) -> None:
    """Each key's value is all that follows: weighed again and again, it would cost the square."""
    scanner = Scanner(Placeholders(b"k", frozenset()))
    [(start, end, rule)] = scanner.text(unit.encode() * (1_000_000 // len(unit)))
    assert (start, rule) == (0, "unscanned")
    assert end > 999_000


def test_the_budget_counts_steps_not_time() -> None:
    budget = Budget(0)
    budget.spend(40_000)
    with pytest.raises(Exhausted):
        budget.spend(1)
    with pytest.raises(Exhausted):
        Budget(0).expand(10**9)


UNITS = ["password=", "sk-", "curl -u ", "cookie: aaaa=bbbbbbbb;", "\\u0073", "eyJhbGciOiJI.",
         "70617373", "\x1b[31m", 'ab"+"', "h:5432:d:u:", "machine login password ", '"kty":"d":"',
         "gh" + "p_" + "aB3x" * 10 + "\n", "://a:b", "token =            "]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_length_only(unit: str) -> None:
    def cost(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        redact_text(text)
        return time.process_time() - start

    cost(1000)
    small = max(min(cost(100_000) for _ in range(2)), 0.004)
    assert cost(400_000) < 8 * small + 0.3


_ANCHORS = sorted(forms.plans(()))
_LONG = bool(os.environ.get("GITSESSION_LONG"))


@pytest.mark.parametrize(
    "anchor", _ANCHORS if _LONG else _ANCHORS[::9], ids=lambda one: one.decode()
)
@pytest.mark.parametrize("tail", [b"", b"=", b"aB3x", b"=aB3\n"] if _LONG else [b"=aB3\n"])
def test_a_row_of_any_anchor_costs_by_its_length(anchor: bytes, tail: bytes) -> None:
    """Every anchor of every rule and form, in rows of nothing else (all with GITSESSION_LONG)."""

    def cost(size: int) -> float:
        text = ((anchor + tail) * (size // len(anchor + tail) + 1)).decode()
        start = time.process_time()
        redact_text(text)
        return time.process_time() - start

    cost(1_000)
    small = max(min(cost(10_000) for _ in range(2)), 0.01)
    assert cost(40_000) < 8 * small + 0.3


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_nothing_heavy_is_imported_for_a_clean_text() -> None:
    heavy = "{'yaml', 'detect_secrets', 'requests', 'mnemonic', 'ssl', 'dataclasses'}"
    code = f"""
import sys
from gitsession.redaction import Redactor
Redactor(b'k')
print(sorted({heavy} & set(sys.modules)), 'ahocorasick_rs' in sys.modules)
"""
    assert _run(code) == "[] False"
    code = f"""
import sys
from gitsession.redaction import redact_text
redact_text('API_' + 'KEY=' + 'a1B2c3D4' * 4)
print(sorted({heavy} & set(sys.modules)))
"""
    assert _run(code) == "[]"


def test_a_rule_is_compiled_when_its_anchor_is_met() -> None:
    code = """
import json, hashlib, hmac, re
compiled = []
original = re.compile
re.compile = lambda *args: compiled.append(args) or original(*args)
from gitsession.redaction import redact_text
redact_text('nothing to see here, just a few words')
print(len(compiled))
redact_text('gh' + 'p_' + 'aB3xZ' * 8)
print(len(compiled))
"""
    before, after = map(int, _run(code).split())
    assert before <= 2 and before < after <= before + 30


def test_what_is_known_clean_is_read_once() -> None:
    text = ("def f(token, key):\n    return token[key] + 'password'\n" * 40_000)[:1_500_000]
    redactor = Redactor(b"k")
    made = session(
        [line({"n": at, "text": text[at : at + 50_000]}) for at in range(0, 10**6, 50_000)]
    )
    start = time.process_time()
    redactor.learn(made)
    first = time.process_time() - start
    start = time.process_time()
    redactor.redact(made)
    assert time.process_time() - start < first / 3
