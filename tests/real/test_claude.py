"""The real Claude Code: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json

import pytest

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back

CLAUDE = AGENTS / "claude" / "node_modules" / ".bin" / "claude"


def configured(user: User, model: Model) -> User:
    """The user with this agent set up for the fake model."""
    user.variables |= {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.port}",
        "ANTHROPIC_API_KEY": "test-key",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return user


@pytest.fixture
def claude_user(user: User, model: Model) -> User:
    return configured(user, model)


def ask(user: User, prompt: str, *options: str) -> str:
    """One turn in headless mode; the session's id."""
    answer = user.run(
        CLAUDE, "-p", "--output-format", "json", "--allowedTools=Bash,Read,Write,Edit",
        *options, "--", prompt,
    )  # fmt: skip
    return str(json.loads(answer)["session_id"])


def test_rolled_back_and_continued(claude_user: User, model: Model) -> None:
    user = claude_user
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    user.gitsession("save")
    for prompt in (f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]", "Third gamma-333"):
        ask(user, prompt, "--resume", first)
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["claude", "--resume", done["native_id"]]
    assert ask(user, "Continued delta-444", "--resume", done["native_id"]) == done["native_id"]
    user.gitsession("save")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)
