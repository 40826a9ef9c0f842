"""The real Continue CLI: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from gitsession.agents.base import Target
from gitsession.agents.continue_cli import AGENT as CONTINUE
from gitsession.agents.pi import AGENT as PI
from gitsession.environment import Environment
from gitsession.files import make_private
from gitsession.operations.checkouts import convert
from tests.agents.contract import the_source, whole
from tests.operations.test_convert import PICTURE, of_pi

from .conftest import (
    AGENTS,
    Model,
    User,
    assert_fork,
    assert_rolled_back,
    conversation,
    first_call_of,
)
from .terminal import terminal

CN = AGENTS / "continue" / "node_modules" / ".bin" / "cn"


def configured(user: User, model: Model, *, window: int = 200_000) -> User:
    """The user with this agent set up for the fake model, whose window has so many tokens."""
    if not CN.exists():
        pytest.skip("Continue CLI is not installed: tests/real/install_more.sh continue")
    folder = user.home / ".continue"
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(
        f"""name: Fake
version: 1.0.0
schema: v1
models:
  - name: fake-model
    provider: openai
    model: fake-model
    apiKey: test-key
    apiBase: http://127.0.0.1:{model.port}/v1
    roles: [chat]
    defaultCompletionOptions:
      contextLength: {window}
      maxTokens: 1000
"""
    )
    (folder / ".onboarding_complete").touch()
    user.variables["CONTINUE_TELEMETRY_ENABLED"] = "0"
    return user


@pytest.fixture
def continue_user(user: User, model: Model) -> User:
    return configured(user, model)


def ask(user: User, prompt: str, *options: str) -> None:
    """One turn in headless mode, of a new session or (`--resume`) of the newest one."""
    assert "ANSWER to" in user.run(CN, "-p", "--auto", *options, prompt)


def test_rolled_back_and_continued_on_the_terminal(continue_user: User, model: Model) -> None:
    """The printed command as a whole: it goes on with the session that was written, whichever
    changed last before."""
    user = continue_user
    ask(user, "First alpha-111 [[shell:echo shell-says-hi]]")
    user.gitsession("save")
    for prompt in (f"Second beta-222 [[write:{user.project}/b.py|bee]]", "Third gamma-333"):
        ask(user, prompt, "--resume")
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]

    done = user.json("checkout", "HEAD~2")["checkout"]
    ask(user, "Somewhere else epsilon-555")
    user.variables["PATH"] = os.pathsep.join([str(CN.parent), user.environment()["PATH"]])
    gitsession = Path(sys.executable).parent / "gitsession"
    with terminal(user, gitsession, "resume", f"{session}/main-2") as screen:
        assert screen.shows("ANSWER to: First alpha-111", 60), screen.text
        screen.types("Continued delta-444")
        screen.types("\r")
        assert screen.shows("ANSWER to: Continued delta-444", 60), screen.text
        assert "beta-222" not in screen.text
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    [report] = user.json("save", done["native_id"])["report"]["sessions"]
    assert report["outcome"] == "saved"
    assert_fork(user, session)


def test_a_compaction_is_a_version(continue_user: User, model: Model) -> None:
    """It replaces all that was said, in the same file, which shrinks."""
    user = continue_user
    long = " ".join(map(str, range(3_000)))
    ask(user, f"First alpha-111 [[say:{long} ANSWER to that]]")
    user.gitsession("save")
    configured(user, model, window=12_000)
    ask(user, "Second beta-222", "--resume")
    user.gitsession("save")
    kinds = [version["kind"] for version in user.json("log")["versions"]]
    assert kinds == ["compaction", "turn"]
    assert "alpha-111" not in user.gitsession("show", "--raw", "HEAD")
    assert "alpha-111" in user.gitsession("show", "--raw", "HEAD~1")


def test_goes_on_with_what_another_agent_held(continue_user: User, model: Model) -> None:
    """Two calls at once, the second failed, a picture in the prompt and in a result."""
    user = continue_user
    stored = whole(PI.read(the_source(PI, of_pi().save(user.home))))
    prepared = convert.prepare(stored, PI.messages(stored))
    environment = Environment({}, user.home, str(user.project))
    place = Target(str(user.project), title="Named")
    written = convert.compose(CONTINUE, prepared, stored, place, environment).written
    for path, data in written.files.items():
        make_private(path.parent)
        path.write_bytes(data)
    ask(user, "Continued omega-777", "--resume")
    body = first_call_of(model, "Continued omega-777")
    roles = [role for role, _, _ in conversation(body)]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user"]
    text = json.dumps(body)
    assert all(word in text for word in ("look at this", "I should list first", "it broke"))
    assert text.count(PICTURE) == 1  # those of results are kept, but not sent
    now = json.loads(written.main.read_text())["history"]
    assert now[:-2] == json.loads(written.files[written.main])["history"]
