"""The real Gemini CLI: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.gemini import AGENT
from tests.agents.contract import the_source, whole
from tests.gemini_builder import Gemini

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back
from .written import place, results, sent

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


def configured(user: User, model: Model) -> User:
    """The user with this agent set up for the fake model."""
    folder = user.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    user.variables |= {
        "GEMINI_API_KEY": "test-key",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{model.port}",
        "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_NO_RELAUNCH": "1",
    }
    return user


@pytest.fixture
def gemini_user(user: User, model: Model) -> User:
    return configured(user, model)


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
        written = place(user, AGENT, path, foreign=foreign)
        assert ask(user, "Continued omega-777", "-r", written.native_id) == written.native_id
        text = sent(model)
        assert "omega-777" in text
        messages = AGENT.messages(whole(AGENT.read(the_source(AGENT, path))))
        prompts = [m.text.strip() for m in messages if m.role == "user"]
        assert all(json.dumps(prompt, ensure_ascii=False)[1:-1] in text for prompt in prompts)
    # Each start deletes what is old or empty: what was written is neither.
    assert user.run(GEMINI, "--list-sessions").count("Named") == 3


def test_calls_that_were_cut_off_go_on(gemini_user: User, model: Model, tmp_path: Path) -> None:
    session = Gemini()
    session.prompt("do two")
    row = session.say("")
    calls = [{"id": f"call_{n}", "name": "run_shell_command", "args": {"command": "ls"}}
             for n in (1, 2)]  # fmt: skip
    session.raw({**row, "toolCalls": calls})
    (tmp_path / "session-a.jsonl").write_bytes(session.data)
    written = place(gemini_user, AGENT, tmp_path / "session-a.jsonl")
    assert written.repairs == ("2 tool calls without result marked as interrupted",)
    ask(gemini_user, "Continued omega-777", "-r", written.native_id)
    assert results(model) == 2
