"""The real Qwen Code: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.qwen import AGENT
from tests.qwen_builder import QWEN_ID, Qwen

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back
from .hooked import versions
from .test_gemini import SETTINGS
from .written import place, results, sent

QWEN = AGENTS / "qwen" / "node_modules" / ".bin" / "qwen"


def configured(user: User, model: Model) -> User:
    """The user with this agent set up for the fake model."""
    folder = user.home / ".qwen"
    folder.mkdir()
    security = {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}
    settings = {**SETTINGS, "security": security, "model": {"name": "fake-model"}}
    (folder / "settings.json").write_text(json.dumps(settings))
    user.variables |= {
        "OPENAI_API_KEY": "test-key",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
        "OPENAI_MODEL": "fake-model",
    }
    return user


@pytest.fixture
def qwen_user(user: User, model: Model) -> User:
    return configured(user, model)


def ask(user: User, prompt: str, *options: str) -> str:
    """One turn in headless mode; the session's id."""
    answer = user.run(QWEN, "-y", "-o", "json", *options, prompt)
    [result] = [row for row in json.loads(answer) if row.get("type") == "result"]
    return str(result["session_id"])


def test_hooked_rolled_back_and_continued(qwen_user: User, model: Model) -> None:
    user = qwen_user
    user.gitsession("hooks", "install", "qwen")
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    second = f"Second beta-222 [[read:{path}]][[edit:{path}|hello = 1|hello = 2]]"
    for number, prompt in enumerate((second, "Third gamma-333"), 2):
        assert ask(user, prompt, "--resume", first) == first
        versions(user, number)
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
    versions(user, 2, "main-2")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)


@pytest.mark.parametrize("foreign", [False, True])
def test_a_recorded_session_goes_on(
    samples: Path, qwen_user: User, model: Model, foreign: bool
) -> None:
    [path] = (samples / "recorded" / "qwen").glob("*-*.jsonl")
    written = place(qwen_user, AGENT, path, foreign=foreign)
    ask(qwen_user, "Continued omega-777", "--resume", written.native_id)
    text = sent(model)
    assert all(word in text for word in ("alpha-111", "beta-222", "gamma-333", "omega-777"))
    assert results(model) == 4


def test_calls_that_were_cut_off_go_on(qwen_user: User, model: Model, tmp_path: Path) -> None:
    session = Qwen()
    session.prompt("do three")
    session.answer(*({"functionCall": {"id": f"c{n}", "name": "run_shell_command",
                                       "args": {"command": "ls"}}} for n in (1, 2, 3)))  # fmt: skip
    session.result("c2", "run_shell_command", "two")
    path = tmp_path / f"{QWEN_ID}.jsonl"
    path.write_bytes(session.data)
    written = place(qwen_user, AGENT, path)
    assert written.repairs == ("2 tool calls without result marked as interrupted",)
    ask(qwen_user, "Continued omega-777", "--resume", written.native_id)
    assert "omega-777" in sent(model)
    assert results(model) == 3
