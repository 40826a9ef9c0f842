"""The real Codex: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json

import pytest

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back

CODEX = AGENTS / "codex" / "node_modules" / ".bin" / "codex"

CONFIG = """\
model = "gpt-5"
model_provider = "fake"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[projects."{project}"]
trust_level = "trusted"
"""


def configured(user: User, model: Model) -> User:
    """The user with this agent set up for the fake model."""
    folder = user.home / ".codex"
    folder.mkdir()
    text = CONFIG.format(port=model.port, project=user.project)
    (folder / "config.toml").write_text(text)
    user.variables |= {"FAKE_KEY": "test-key"}
    return user


@pytest.fixture
def codex_user(user: User, model: Model) -> User:
    return configured(user, model)


def ask(user: User, *words: str) -> str:
    """One turn in headless mode; the thread's id."""
    answer = user.run(CODEX, "exec", *words, "--skip-git-repo-check", "--json")
    rows = [json.loads(line) for line in answer.splitlines() if line.startswith("{")]
    assert not [row for row in rows if row["type"] in ("error", "turn.failed")], answer
    return next(str(row["thread_id"]) for row in rows if "thread_id" in row)


def test_rolled_back_and_continued(codex_user: User, model: Model) -> None:
    user = codex_user
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    user.gitsession("save")
    for prompt in (f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]", "Third gamma-333"):
        assert ask(user, "resume", first, prompt) == first
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["codex", "resume", done["native_id"]]
    continued = ask(user, "resume", done["native_id"], "Continued delta-444")
    assert continued == done["native_id"]
    user.gitsession("save")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)
