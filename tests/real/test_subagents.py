"""Real agents that hand work to a subagent: one turn, and its conversation is found and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import test_claude, test_copilot, test_gemini, test_qwen
from .conftest import Model, User, conversation, first_call_of, serving

claude_user, copilot_user = test_claude.claude_user, test_copilot.copilot_user
gemini_user, qwen_user = test_gemini.gemini_user, test_qwen.qwen_user
ASK = {
    "claude": (test_claude.ask, "claude-code"),
    "copilot": (test_copilot.ask, "copilot"),
    "gemini": (test_gemini.ask, "gemini"),
    "qwen": (test_qwen.ask, "qwen"),
}


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Model]:
    with serving(tmp_path, tasks=True) as served:
        yield served


@pytest.mark.parametrize("name", ASK)
def test_a_subagent_is_found_and_shown(name: str, request: pytest.FixtureRequest) -> None:
    user: User = request.getfixturevalue(f"{name}_user")
    ask, agent = ASK[name]
    path = user.project / "a.py"
    ask(user, f"First alpha-111 [[task:walrus-222 ((read:{path}))((say:the walrus is there))]]")
    user.gitsession("save", "--agent", agent)
    versions = user.json("log")["versions"]
    assert "alpha-111" in versions[-1]["subject"]
    [stream] = user.json("show")["subagents"]
    shown = user.json("show", "HEAD", "--stream", stream)["session"]["messages"]
    assert "walrus-222" in str(shown[0]["parts"])
    said = [part["text"] for m in shown[1:] for part in m["parts"] if part["kind"] == "text"]
    assert "the walrus is there" in said
    asked = user.json("show")["session"]["messages"]
    assert [m["role"] for m in asked].count("user") == 1

    hits = user.json("search", "a.py", "--role", "tool")["answer"]["hits"]
    [read] = [hit for hit in hits if hit["stream"] == stream]
    found = user.json("show", f"{read['version']}:{read['message']}", "--stream", stream)
    assert "hello = 1" in str(found["message"]["parts"])
    assert user.json("stats", "HEAD", "--stream", stream)["stats"]["tools"][0]["calls"] == 1


def test_copilot_goes_on_from_a_turn_with_a_subagent(copilot_user: User, model: Model) -> None:
    user, path = copilot_user, copilot_user.project / "a.py"
    prompt = f"First alpha-111 [[task:walrus-222 ((read:{path}))((say:the walrus is there))]]"
    first = test_copilot.ask(user, prompt)
    test_copilot.ask(user, "Second beta-222", f"--resume={first}")
    user.gitsession("save", "--agent", "copilot")
    assert len(user.json("log")["versions"]) == 2
    done = user.json("checkout", "HEAD~1")["checkout"]
    assert done["repairs"] == []
    test_copilot.ask(user, "Continued delta-444", f"--resume={done['native_id']}")
    own = conversation(first_call_of(model, "Second beta-222"))
    ours = conversation(first_call_of(model, "Continued delta-444"))
    assert ours[:-1] == own[:-1]
    assert "the walrus is there" in json.dumps(first_call_of(model, "Continued delta-444"))
