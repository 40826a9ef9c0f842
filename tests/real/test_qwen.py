"""The real Qwen Code: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json

import pytest

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back
from .test_gemini import SETTINGS

QWEN = AGENTS / "qwen" / "node_modules" / ".bin" / "qwen"


@pytest.fixture
def qwen_user(user: User, model: Model) -> User:
    folder = user.home / ".qwen"
    folder.mkdir()
    security = {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}
    settings = {**SETTINGS, "security": security, "model": {"name": "fake-model"}}
    (folder / "settings.json").write_text(json.dumps(settings))
    user.variables = {
        "OPENAI_API_KEY": "test-key",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
        "OPENAI_MODEL": "fake-model",
    }
    return user


def ask(user: User, prompt: str, *options: str) -> str:
    """One turn in headless mode; the session's id."""
    answer = user.run(QWEN, "-y", "-o", "json", *options, prompt)
    [result] = [row for row in json.loads(answer) if row.get("type") == "result"]
    return str(result["session_id"])


def test_rolled_back_and_continued(qwen_user: User, model: Model) -> None:
    user = qwen_user
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    user.gitsession("save")
    second = f"Second beta-222 [[read:{path}]][[edit:{path}|hello = 1|hello = 2]]"
    for prompt in (second, "Third gamma-333"):
        assert ask(user, prompt, "--resume", first) == first
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["qwen", "--resume", done["native_id"]]
    listed = user.run(QWEN, "sessions", "list")
    [row] = [row for row in listed.splitlines() if row.startswith(done["native_id"])]
    assert "First alpha-111" in row.split(maxsplit=3)[3]
    continued = ask(user, "Continued delta-444", "--resume", done["native_id"])
    assert continued == done["native_id"]
    user.gitsession("save")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)
