"""The real Mistral Vibe: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json
import os

import pytest

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back, first_call_of

VIBE = AGENTS / "venv-vibe" / "bin" / "vibe"


@pytest.fixture
def vibe_user(user: User, model: Model) -> User:
    if not VIBE.exists():
        pytest.skip("Mistral Vibe is not installed: tests/real/install_more.sh vibe")
    folder = user.home / ".vibe"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f"""active_model = "fake"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
[[providers]]
name = "fake"
api_base = "http://127.0.0.1:{model.port}/v1"
api_key_env_var = "FAKE_KEY"
backend = "generic"
[[models]]
name = "fake-model"
provider = "fake"
alias = "fake"
"""
    )
    user.variables["FAKE_KEY"] = "test-key"
    return user


def ask(user: User, prompt: str, *options: str) -> None:
    """One turn in headless mode."""
    user.run(VIBE, "--auto-approve", "--trust", *options, "-p", prompt)


def test_saved_rolled_back_and_continued(vibe_user: User, model: Model) -> None:
    user, path = vibe_user, vibe_user.project / "a.py"
    ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    user.gitsession("save")
    [first] = os.listdir(user.home / ".vibe" / "logs" / "session" / "unified")
    second = f"Second beta-222 [[read:{path}]][[edit:{path}|hello = 1|hello = 2]]"
    for prompt in (second, "Third gamma-333"):
        ask(user, prompt, "--resume", first)
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]
    files = user.json("show", "HEAD~1")["session"]["files"]
    assert [(file["path"], file["kept"]) for file in files] == [("a.py", True)]

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["vibe", "--resume", done["native_id"]]
    ask(user, "Continued delta-444", "--resume", done["native_id"])
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    own, ours = (
        json.dumps(first_call_of(model, words)["messages"][1:7])
        for words in ("Second beta-222", "Continued delta-444")
    )
    assert "shell-says-hi" in own
    told = [json.loads(text) for text in (own, ours)]
    assert [[m["role"], m.get("content")] for m in told[0]] == [
        [m["role"], m.get("content")] for m in told[1]
    ]
    user.gitsession("save", done["native_id"])
    assert_fork(user, session)
    ask(user, "Once more eps-555", "--resume", done["native_id"])
    user.gitsession("save", done["native_id"])
    assert len(user.json("log", f"{session}/main-2")["versions"]) == 3
