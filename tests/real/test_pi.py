"""The real pi: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.pi import AGENT
from tests.pi_builder import Pi

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back
from .written import place, results, sent

PI = AGENTS / "pi" / "node_modules" / ".bin" / "pi"


def configured(user: User, model: Model) -> User:
    """The user with this agent set up for the fake model."""
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
    user.variables |= {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}
    return user


@pytest.fixture
def pi_user(user: User, model: Model) -> User:
    return configured(user, model)


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


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("name", ["large-session", "before-compaction"])
def test_files_of_older_releases_go_on(
    samples: Path, pi_user: User, model: Model, name: str, foreign: bool
) -> None:
    user = pi_user
    written = place(user, AGENT, samples / "pi" / f"{name}.jsonl", foreign=foreign)
    before = written.main.read_bytes()
    assert ask(user, "Continued omega-777", "--session", written.native_id) == written.native_id
    assert written.main.read_bytes().startswith(before)
    assert "omega-777" in sent(model)
    assert results(model) > 100


def test_calls_that_were_cut_off_go_on(pi_user: User, model: Model, tmp_path: Path) -> None:
    session = Pi()
    session.prompt("do three")
    calls = [{"type": "toolCall", "id": f"call_{n}", "name": "bash", "arguments": {"command": "ls"}}
             for n in (1, 2, 3)]  # fmt: skip
    session.answer(*calls, stop="toolUse")
    session.result("call_2", "bash", "half ")
    (tmp_path / "a.jsonl").write_bytes(session.data.replace(b"half ", b"half \\ud83d "))
    written = place(pi_user, AGENT, tmp_path / "a.jsonl")
    assert len(written.repairs) == 2
    ask(pi_user, "Continued omega-777", "--session", written.native_id)
    assert results(model) == 3
