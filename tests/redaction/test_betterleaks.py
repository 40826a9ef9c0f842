"""The other second opinion: asked over a pipe, believed only when its answer is whole."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from gitsession.errors import RedactionFailed
from gitsession.redaction import audit, betterleaks
from gitsession.repository import Repository
from tests.cli.conftest import Cli
from tests.operations.conftest import LiveSession, live, repository  # noqa: F401

TOKEN = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
needs_it = pytest.mark.skipif(not betterleaks.program(), reason="betterleaks is not installed")


def row(line: int = 1, value: object = "v") -> dict[str, object]:
    finding = {"rule_id": "r", "match": {"value": value}, "location": {"start_line": line}}
    return {"schema_version": "1", "finding": finding}


def last(findings: int, size: int, state: str = "complete") -> dict[str, object]:
    summary = {"state": state, "num_findings": findings, "bytes_scanned": size}
    return {"schema_version": "1", "scan": summary}


def answer(*rows: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in rows)


def stand_in(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of ours in its place."""
    program = folder / "betterleaks"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\ntext = sys.stdin.buffer.read()\n{body}"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(betterleaks, "program", lambda: str(program))


@needs_it
def test_it_sees_a_token_and_says_in_which_text() -> None:
    found = betterleaks.ask(["nothing", "two\nlines", f"key {TOKEN}\n", "", f"a\n\n{TOKEN} b"])
    assert found == [(2, "github-pat", TOKEN), (4, "github-pat", TOKEN)]


@needs_it
def test_nobody_can_talk_it_out_of_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BETTERLEAKS_CONFIG_TOML", "title = 'empty'")
    for remark in ("gitleaks:allow", "betterleaks:allow"):
        assert betterleaks.ask([f"key {TOKEN} # {remark}"]) == [(0, "github-pat", TOKEN)]


@needs_it
def test_what_both_see_is_named_once() -> None:
    found = [value for _, _, value in audit.audit([f'token = "{TOKEN}"'])]
    assert found.count(TOKEN) >= 1
    rules = {rule for _, rule, _ in audit.audit([f'token = "{TOKEN}"'])}
    assert "audit-github-pat" not in rules  # detect-secrets named that value already


@needs_it
def test_a_placeholder_is_no_finding() -> None:
    assert betterleaks.ask(["token = __REDACTED_github-pat_1f0c2d3e__"]) == []


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (b"", "cannot be read"),
        (b"not json\n", "cannot be read"),
        (answer(row()), "cannot be read"),
        (answer([], last(0, 7)), "cannot be read"),
        (answer(row(value=3), last(1, 7)), "cannot be read"),
        (answer(row(value=""), last(1, 7)), "cannot be read"),
        (answer(row(), last(2, 7)), "not complete"),
        (answer(last(0, 7, "cancelled")), "not complete"),
        (answer(last(0, 6)), "did not read everything"),
        (answer({**last(0, 7), "schema_version": "2"}), "another version"),
        (answer(row()) + answer(last(1, 7))[:-9], "cannot be read"),
    ],
)
def test_an_answer_that_is_not_whole_is_an_error(output: bytes, why: str) -> None:
    with pytest.raises(RedactionFailed, match=why):
        betterleaks._findings(output, 7)


def test_a_whole_answer_is_believed() -> None:
    assert betterleaks._findings(answer(row(3), last(1, 7)), 7) == [(3, "r", "v")]
    assert betterleaks._findings(answer(last(0, 0)), 0) == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("os.kill(os.getpid(), 9)", "exit code -9"),
        (f"os.write(1, {answer(row(9), last(1, 4))!r})", "a line that it was not given"),
    ],
)
def test_a_detector_that_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, why: str
) -> None:
    stand_in(tmp_path, body, monkeypatch)
    with pytest.raises(RedactionFailed, match=why):
        betterleaks.ask(["one"])


def test_it_gets_no_variable_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BETTERLEAKS_VALIDATE", "1")
    said = tmp_path / "said"
    body = f"open({str(said)!r}, 'w').write(repr((sorted(os.environ), sys.argv[1:])))\n"
    stand_in(tmp_path, body + f"os.write(1, {answer(last(0, 4))!r})", monkeypatch)
    assert betterleaks.ask(["one"]) == []
    variables, arguments = eval(said.read_text())
    assert not [name for name in variables if name.startswith(("BETTERLEAKS", "HOME", "HTTP"))]
    assert arguments[0] == "stdin" and "--no-allow-signatures" in arguments
    assert not [word for word in arguments if "valid" in word or "analyze" in word]


def test_a_failed_audit_ends_the_command(
    repository: Repository,  # noqa: F811
    live: LiveSession,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in(tmp_path, "raise SystemExit(1)", monkeypatch)
    live.turn("hello", "ok")
    repository.save()
    cli = Cli(repository._workspace.environment)
    for words in (
        ["scan", "--audit"],
        ["scan", "--all", "--audit"],
        ["scan", str(live.path), "--audit"],
    ):
        done = cli(*words)
        assert done.code == 16 and "betterleaks" in done.err
    remote = tmp_path / "remote.git"
    cli("remote", "add", "team", str(remote))
    assert cli("push", "team", "--audit", "--yes").code == 16
    assert not remote.exists()
