"""The real Copilot CLI: its hook saves every turn, version 1 is checked out, continued, a fork."""

from __future__ import annotations

import json

import pytest

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back
from .hooked import versions

COPILOT = AGENTS / "copilot" / "node_modules" / ".bin" / "copilot"


def configured(user: User, model: Model) -> User:
    """The user with this agent set up for the fake model."""
    user.variables |= {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "test-key",
        "COPILOT_MODEL": "gpt-5",
    }
    return user


@pytest.fixture
def copilot_user(user: User, model: Model) -> User:
    return configured(user, model)


def ask(user: User, prompt: str, *options: str) -> str:
    """One turn in headless mode; the session's id."""
    answer = user.run(
        COPILOT, "--allow-all-tools", "--allow-all-paths", "--output-format", "json",
        *options, "-p", prompt,
    )  # fmt: skip
    rows = [json.loads(line) for line in answer.splitlines() if line.startswith("{")]
    return next(str(row["sessionId"]) for row in rows if row["type"] == "result")


def test_hooked_rolled_back_and_continued(copilot_user: User, model: Model) -> None:
    user = copilot_user
    user.gitsession("hooks", "install", "copilot")
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    second = f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]"
    for number, prompt in enumerate((second, "Third gamma-333"), 2):
        assert ask(user, prompt, f"--resume={first}") == first
        subjects = [version["subject"].split()[0] for version in versions(user, number)]
    assert subjects == ["Third", "Second", "First"]
    assert user.json("status")["status"]["failures"] == []

    session = user.json("list")["sessions"][0]["session"]
    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["copilot", f"--resume={done['native_id']}"]
    assert ask(user, "Continued delta-444", *done["command"][1:]) == done["native_id"]
    versions(user, 2, "main-2")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)
