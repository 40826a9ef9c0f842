"""Real agents that are hooked: every turn is saved without anybody calling gitsession."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from . import test_claude, test_codex, test_gemini, test_pi, test_qwen
from .conftest import Model, User
from .hooked import log_of, versions

claude_user, codex_user = test_claude.claude_user, test_codex.codex_user
gemini_user, pi_user, qwen_user = (
    test_gemini.gemini_user, test_pi.pi_user, test_qwen.qwen_user,
)  # fmt: skip
TRUST = "--dangerously-bypass-hook-trust"


def settings(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_claude_saves_each_turn_by_itself(claude_user: User, model: Model) -> None:
    user = claude_user
    user.gitsession("hooks", "install", "claude-code")
    path = user.project / "a.py"
    first = test_claude.ask(user, f"First alpha-111 [[read:{path}]][[shell:echo hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    test_claude.ask(user, f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]", "--resume", first)
    versions(user, 2)
    test_claude.ask(user, "Third gamma-333", "--resume", first)
    subjects = [version["subject"] for version in versions(user, 3)]
    assert [subject.split()[0] for subject in subjects] == ["Third", "Second", "First"]
    assert [body for body in model.calls() if "gitsession" in str(body.get("messages"))] == []
    assert {words[3] for words in log_of(user)} <= {"Stop", "SessionEnd"}
    assert user.json("status")["status"]["failures"] == []

    user.gitsession("hooks", "uninstall")
    assert not (user.home / ".claude" / "settings.json").exists()
    test_claude.ask(user, "Fourth delta-444", "--resume", first)
    time.sleep(1)
    assert len(versions(user, 3)) == 3


def test_claude_saves_before_it_compacts(claude_user: User) -> None:
    user = claude_user
    user.gitsession("hooks", "install", "claude-code")
    first = test_claude.ask(user, "First alpha-111")
    versions(user, 1)
    test_claude.ask(user, "/compact", "--resume", first)
    deadline = time.monotonic() + 20
    while "PreCompact" not in {words[3] for words in log_of(user)}:
        assert time.monotonic() < deadline, log_of(user)
        time.sleep(0.1)


def test_codex_notify_needs_no_trust(codex_user: User) -> None:
    user = codex_user
    before = settings(user.home / ".codex")
    user.gitsession("hooks", "install", "codex")
    path = user.project / "a.py"
    first = test_codex.ask(user, f"First alpha-111 [[read:{path}]][[shell:echo hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    test_codex.ask(user, "resume", first, "Second beta-222")
    versions(user, 2)
    assert {words[3] for words in log_of(user)} == {"agent-turn-complete"}

    user.gitsession("hooks", "uninstall", "codex")
    after = settings(user.home / ".codex")
    assert {name: after[name] for name in before} == before and "hooks.json" not in after


def test_codex_trusted_hooks_save_each_turn(codex_user: User) -> None:
    user = codex_user
    config = user.home / ".codex" / "config.toml"
    config.write_text('notify = ["true"]\n' + config.read_text())
    user.gitsession("hooks", "install", "codex")
    assert config.read_text().startswith('notify = ["true"]\n')
    first = test_codex.ask(user, TRUST, "First alpha-111 [[shell:echo hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    test_codex.ask(user, TRUST, "resume", first, "Second beta-222")
    versions(user, 2)
    assert "Stop" in {words[3] for words in log_of(user)}


OTHERS = {
    "gemini": (test_gemini, "-r", {"AfterAgent", "SessionEnd"}),
    "qwen": (test_qwen, "--resume", {"Stop"}),
    "pi": (test_pi, "--session", {"agent_end", "session_shutdown"}),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_others_save_each_turn_by_themselves(
    name: str, request: pytest.FixtureRequest, model: Model
) -> None:
    user: User = request.getfixturevalue(f"{name}_user")
    agent, resume, events = OTHERS[name]
    before = {path: path.read_bytes() for path in user.home.rglob("*") if path.is_file()}
    user.gitsession("hooks", "install", name)
    path = user.project / "a.py"
    first = agent.ask(user, f"First alpha-111 [[read:{path}]][[shell:echo hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    for number, prompt in enumerate(("Second beta-222", "Third gamma-333"), 2):
        agent.ask(user, prompt, resume, first)
        subjects = [version["subject"].split()[0] for version in versions(user, number)]
    assert subjects == ["Third", "Second", "First"]
    assert {words[3] for words in log_of(user)} <= events
    assert user.json("status")["status"]["failures"] == []
    user.gitsession("hooks", "uninstall", name)
    after = {path: path.read_bytes() for path in before}
    if name == "qwen":  # it writes its settings anew by itself, with a version in them
        file = user.home / ".qwen" / "settings.json"
        own = {**json.loads(before.pop(file)), "$version": 4}
        assert json.loads(after.pop(file)) == own
    assert after == before
