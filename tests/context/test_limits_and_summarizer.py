"""The table of model limits, and summaries from the user's own command."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from gitsession.context.limits import DEFAULT, limits
from gitsession.context.summarizer import PROMPT, Summarizer
from gitsession.context.tail import Limits
from gitsession.errors import FormatError, GitSessionError, UsageError


def test_the_longest_fitting_name_counts() -> None:
    assert limits("gpt-4") == Limits(8_192, 4_096)
    assert limits("gpt-4o-mini") == Limits(128_000, 16_384)
    assert limits("GPT-5-codex") == Limits(400_000, 128_000, 272_000)
    assert limits("anthropic/claude-opus-4-1") == Limits(200_000, 32_000)
    assert limits("nobody-knows-it") == DEFAULT


def test_the_user_s_table_goes_first(tmp_path: Path) -> None:
    own = tmp_path / "limits.yaml"
    assert limits("mine", own) == DEFAULT
    own.write_text("mine: {context: 1000, output: 10}\nclaude: {context: 5}\n")
    assert limits("mine-2", own) == Limits(1_000, 10)
    assert limits("claude-opus-4-1", own) == Limits(5)
    assert limits("gpt-4", own) == Limits(8_192, 4_096)


@pytest.mark.parametrize(
    "text", ["- a", "x: 5", "x: {context: many}", "x: {size: 1}", "x: [", "\0"]
)
def test_a_wrong_table_is_told(tmp_path: Path, text: str) -> None:
    own = tmp_path / "limits.yaml"
    own.write_text(text)
    with pytest.raises(FormatError):
        limits("x", own)


def mac(data: bytes) -> str:
    return hashlib.sha256(b"key" + data).hexdigest()[:32]


def command(tmp_path: Path, body: str) -> str:
    script = tmp_path / "summarize.py"
    script.write_text(f"import sys\n{body}\n")
    return f"{sys.executable} {script}"


def test_text_goes_in_and_the_summary_comes_out_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    body = (
        f"open({str(log)!r}, 'a').write('x')\n"
        "text = sys.stdin.read()\nprint('<summary>', len(text), 'read', '</summary>')"
    )
    summarize = Summarizer(command(tmp_path, body), tmp_path / "cache", mac)
    assert summarize("hello") == f"{len(PROMPT) + 5} read"
    assert summarize("hello") == f"{len(PROMPT) + 5} read"
    assert log.read_text() == "x"
    assert summarize("other") != ""
    assert log.read_text() == "xx"
    kept = list((tmp_path / "cache").iterdir())
    assert all(path.stat().st_mode & 0o077 == 0 and len(path.stem) == 32 for path in kept)


@pytest.mark.parametrize(
    "body", ["print('half'); sys.exit(3)", "pass", "import time; print('x'); time.sleep(20)"]
)
def test_LC8_failure_leaves_no_trace(tmp_path: Path, body: str) -> None:
    summarize = Summarizer(command(tmp_path, body), tmp_path / "cache", mac, timeout=1)
    with pytest.raises(GitSessionError, match="summarizer"):
        summarize("hello")
    assert not (tmp_path / "cache").exists()


def test_no_shell_is_asked(tmp_path: Path) -> None:
    target = tmp_path / "made"
    with pytest.raises(GitSessionError):
        Summarizer(f"/bin/false; touch {target}", tmp_path / "cache", mac)("x")
    assert not target.exists()


def test_a_command_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Summarizer("'", tmp_path, mac)
    with pytest.raises(GitSessionError, match="cannot be started"):
        Summarizer("/no/such/program", tmp_path, mac)("x")


def test_what_it_says_is_cleaned_before_it_is_kept(tmp_path: Path) -> None:
    body = "print('the token is 123')"
    made = Summarizer(
        command(tmp_path, body), tmp_path / "cache", mac,
        clean=lambda text: text.replace("123", "***"),
    )  # fmt: skip
    assert made("x") == "the token is ***"
    assert "123" not in next((tmp_path / "cache").iterdir()).read_text()
