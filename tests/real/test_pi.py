"""The real pi: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json

import pytest

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back

PI = AGENTS / "pi" / "node_modules" / ".bin" / "pi"


@pytest.fixture
def pi_user(user: User, model: Model) -> User:
    folder = user.home / ".pi" / "agent"
    folder.mkdir(parents=True)
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    fake = {"id": "fake-model", "name": "Fake", "contextWindow": 200000, "maxTokens": 8000,
            "input": ["text"], "reasoning": False, "cost": cost}  # fmt: skip
    provider = {"baseUrl": f"http://127.0.0.1:{model.port}/v1", "api": "openai-completions",
                "apiKey": "test-key", "models": [fake]}  # fmt: skip
    (folder / "models.json").write_text(json.dumps({"providers": {"fake": provider}}))
    settings = {"defaultProvider": "fake", "defaultModel": "fake-model", "quietStartup": True}
    (folder / "settings.json").write_text(json.dumps(settings))
    user.variables = {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}
    return user


def ask(user: User, prompt: str, *options: str) -> str:
    """One turn in headless mode; the session's id."""
    answer = user.run(
        PI, "-p", "--mode", "json", "--provider", "fake", "--model", "fake-model", *options, prompt
    )
    rows = [json.loads(line) for line in answer.splitlines() if line.startswith("{")]
    return next(str(row["id"]) for row in rows if row.get("type") == "session")


def test_rolled_back_and_continued(pi_user: User, model: Model) -> None:
    user = pi_user
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    user.gitsession("save")
    for prompt in (f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]", "Third gamma-333"):
        assert ask(user, prompt, "--session", first) == first
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["pi", "--session", done["native_id"]]
    continued = ask(user, "Continued delta-444", "--session", done["native_id"])
    assert continued == done["native_id"]
    user.gitsession("save")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)
