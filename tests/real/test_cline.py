"""The real Cline: its hook saves every turn, version 1 is checked out, continued, a fork."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back
from .hooked import versions
from .terminal import terminal

CLINE = AGENTS / "cline" / "node_modules" / ".bin" / "cline"


@pytest.fixture
def cline_user(user: User, model: Model) -> Iterator[User]:
    user.variables = {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}
    url = f"http://127.0.0.1:{model.port}/v1"
    try:
        user.run(CLINE, "auth", "-p", "openai-compatible", "-k", "test-key", "-m", "fake-model",
                 "-b", url)  # fmt: skip
        yield user
    finally:
        end_hubs(user)


def end_hubs(user: User) -> None:
    """Cline leaves a process behind that serves its next starts: those of this home are ended."""
    home = f"HOME={user.home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ours = home in (folder / "environ").read_bytes().split(b"\0")
            if ours and b"cline-hub-daemon" in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGTERM)
        except OSError:
            continue


def ask(user: User, prompt: str) -> str:
    """The first turn, in headless mode; the session's id."""
    user.run(CLINE, "--json", prompt)
    [folder] = (user.home / ".cline" / "data" / "sessions").iterdir()
    return folder.name


@contextmanager
def asked_on(user: User, native_id: str, prompt: str) -> Iterator[None]:
    """A further turn, which needs the terminal; it is left only with the block, since the agent
    calls its hook and writes the session down right after the answer."""
    with terminal(user, CLINE, "-i", "--id", native_id) as screen:
        assert screen.shows("Auto-approve all enabled", 60), screen.text
        screen.types(prompt)
        screen.types("\r")
        assert screen.shows(f"ANSWER to: {prompt}", 60), screen.text
        yield


def test_hooked_rolled_back_and_continued(cline_user: User, model: Model) -> None:
    user = cline_user
    user.gitsession("hooks", "install", "cline")
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    assert [version["number"] for version in versions(user, 1)] == [1]
    for number, prompt in enumerate(("Second beta-222", "Third gamma-333"), 2):
        with asked_on(user, first, prompt):
            versions(user, number)
    session = user.json("list")["sessions"][0]["session"]
    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["cline", "-i", "--id", done["native_id"]]
    with asked_on(user, done["native_id"], "Continued delta-444"):
        versions(user, 2, "main-2")
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)
