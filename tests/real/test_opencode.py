"""The real OpenCode: every turn saved, rolled back to version 1, taken in again, continued."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import (
    AGENTS,
    Model,
    User,
    assert_fork,
    assert_rolled_back,
    conversation,
    first_call_of,
)
from .hooked import versions
from .terminal import terminal


def program(name: str = "opencode") -> Path:
    return AGENTS / name / "node_modules" / ".bin" / name


OPENCODE = program()


def configured(user: User, model: Model, name: str = "opencode") -> User:
    """The user with OpenCode, or what grew out of it, set up for the fake model, without anything
    that asks the network."""
    folder = user.home / ".config" / name
    folder.mkdir(parents=True)
    fake = {"name": "Fake", "attachment": True, "limit": {"context": 200000, "output": 8000},
            "modalities": {"input": ["text", "image"], "output": ["text"]}}  # fmt: skip
    options = {"baseURL": f"http://127.0.0.1:{model.port}/v1", "apiKey": "test-key"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": options,
                "models": {"fake-model": fake}}  # fmt: skip
    settings = {"autoupdate": False, "share": "disabled", "model": "fake/fake-model",
                "small_model": "fake/fake-model", "provider": {"fake": provider},
                "permission": {"*": "allow"}}  # fmt: skip
    (folder / f"{name}.json").write_text(json.dumps(settings))
    for what in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"):
        user.variables[f"{name.upper()}_DISABLE_{what}"] = "1"
    return user


@pytest.fixture
def opencode_user(user: User, model: Model) -> User:
    return configured(user, model)


def ask(user: User, prompt: str, *options: str, name: str = "opencode") -> str:
    """One turn in headless mode; the session's id."""
    answer = user.run(program(name), "run", "--format", "json", *options, prompt)
    rows = [json.loads(line) for line in answer.splitlines() if line.startswith("{")]
    assert not [row for row in rows if row["type"] == "error"], rows
    return str(rows[-1]["sessionID"])


def ask_on(user: User, prompt: str, session: str, name: str = "opencode") -> str:
    """One turn of a new session (""), or of one that may still wait to be taken in."""
    data = user.home / ".local" / "share" / name
    waiting = data / "gitsession" / f"{session}.json"
    if waiting.exists():
        user.run(program(name), "import", waiting)
    return ask(user, prompt, *(("-s", session) if session else ()), name=name)


def take_in(user: User, done: dict[str, Any]) -> None:
    """The first half of the printed command; the second half opens the agent on the terminal."""
    shell, dash_c, script, *words = done["command"]
    first, second = script.split(" && ")
    assert second == 'exec opencode --session="$2"'
    assert words[-1] == done["native_id"]
    user.variables["PATH_TO_AGENT"] = str(OPENCODE.parent)
    user.run(shell, dash_c, f'PATH="$PATH_TO_AGENT:$PATH"; {first}', *words)


def hooked(user: User) -> None:
    """With our plugin; what OpenCode would fetch for it is there already."""
    folder = user.home / ".config" / "opencode"
    package = AGENTS / "opencode-plugin"
    (folder / "node_modules").symlink_to(package / "node_modules")
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(package / name, folder / name)
    user.gitsession("hooks", "install", "opencode")


def test_hooked_rolled_back_and_continued(opencode_user: User, model: Model) -> None:
    user = opencode_user
    hooked(user)
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    second = f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]"
    for number, prompt in enumerate((second, "Third gamma-333"), 2):
        assert ask(user, prompt, "-s", first) == first
        versions(user, number)
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]
    assert user.json("status")["status"]["failures"] == []

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    take_in(user, done)
    assert user.json("save", done["native_id"])["report"]["sessions"][0]["outcome"] == "nothing"
    assert ask(user, "Continued delta-444", "-s", done["native_id"]) == done["native_id"]
    versions(user, 2, "main-2")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)
    listed = user.run(OPENCODE, "session", "list")
    [row] = [row for row in listed.splitlines() if row.startswith(done["native_id"])]
    assert "First alpha-111" in row


def test_resume_opens_it_on_the_terminal(opencode_user: User, model: Model) -> None:
    """The printed command as a whole: taken in, opened, and the person goes on."""
    user = opencode_user
    first = ask(user, "First alpha-111")
    ask(user, "Second beta-222", "-s", first)
    user.gitsession("save")
    user.variables["PATH"] = os.pathsep.join([str(OPENCODE.parent), user.environment()["PATH"]])
    program = Path(sys.executable).parent / "gitsession"
    with terminal(user, program, "resume", "HEAD~1") as screen:
        assert screen.shows('ANSWER to: "First alpha-111"', 60), screen.text
        screen.types("Continued delta-444")
        screen.types("\r")
        assert screen.shows("ANSWER to: Continued delta-444", 60), screen.text
        assert "beta-222" not in screen.text
    body = first_call_of(model, "Continued delta-444")
    assert "beta-222" not in str(conversation(body))
    user.gitsession("save")
    newest, oldest = user.json("log")["versions"]
    assert newest["parents"] == [oldest["id"]]
    assert newest["subject"].startswith("Continued")
