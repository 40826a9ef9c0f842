"""The real Gemini CLI: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.base import Target
from gitsession.agents.gemini import AGENT
from gitsession.environment import Environment
from tests.agents.contract import the_source, whole

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back, conversation

GEMINI = AGENTS / "gemini" / "node_modules" / ".bin" / "gemini"

SETTINGS = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "security": {
        "auth": {"selectedType": "gemini-api-key"},
        "folderTrust": {"enabled": False},
    },
    "model": {"name": "gemini-2.5-flash"},
}


@pytest.fixture
def gemini_user(user: User, model: Model) -> User:
    folder = user.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    user.variables = {
        "GEMINI_API_KEY": "test-key",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{model.port}",
        "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_NO_RELAUNCH": "1",
    }
    return user


def ask(user: User, prompt: str, *options: str) -> str:
    """One turn in headless mode; the session's id."""
    answer = user.run(GEMINI, "-y", "-o", "json", *options, "-p", prompt)
    return str(json.loads(answer[answer.index("{") :])["session_id"])


def test_rolled_back_and_continued(gemini_user: User, model: Model) -> None:
    user = gemini_user
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    user.gitsession("save")
    for prompt in (f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]", "Third gamma-333"):
        assert ask(user, prompt, "-r", first) == first
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["gemini", "--resume", done["native_id"]]
    continued = ask(user, "Continued delta-444", "-r", done["native_id"])
    assert continued == done["native_id"]
    user.gitsession("save")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)


@pytest.mark.parametrize("foreign", [False, True])
def test_the_older_single_object_goes_on(
    samples: Path, gemini_user: User, model: Model, foreign: bool
) -> None:
    user = gemini_user
    for path in sorted((samples / "gemini").glob("session-*.json")):
        stored = whole(AGENT.read(the_source(AGENT, path)))
        environment = Environment({}, user.home, str(user.project))
        target = Target(str(user.project), f"Named {path.stem[-8:]}", foreign)
        written = AGENT.write(stored, target, environment)
        for file, data in written.files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        assert ask(user, "Continued omega-777", "-r", written.native_id) == written.native_id
        text = json.dumps(conversation(model.calls()[-1]), ensure_ascii=False)
        assert "omega-777" in text
        prompts = [m.text.strip() for m in AGENT.messages(stored) if m.role == "user"]
        assert all(json.dumps(prompt, ensure_ascii=False)[1:-1] in text for prompt in prompts)
    assert user.run(GEMINI, "--list-sessions").count("Named ") == 3
