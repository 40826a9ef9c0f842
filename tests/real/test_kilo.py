"""The real Kilo Code CLI: every turn saved, rolled back to version 1, taken in again, continued."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.builders import Claude

from .conftest import Model, User, assert_fork, assert_rolled_back, conversation, first_call_of
from .hooked import versions
from .terminal import terminal
from .test_opencode import ask, ask_on, configured, program

KILO = program("kilo")


@pytest.fixture
def kilo_user(user: User, model: Model) -> User:
    if not KILO.exists():
        pytest.skip("Kilo Code CLI is not installed: tests/real/install_more.sh kilo")
    return configured(user, model, "kilo")


def test_hooked_rolled_back_and_continued_on_the_terminal(kilo_user: User, model: Model) -> None:
    """The printed command as a whole: taken in, opened, and the person goes on."""
    user = kilo_user
    user.gitsession("hooks", "install", "kilo")
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]", name="kilo")
    assert [version["number"] for version in versions(user, 1)] == [1]
    second = f"Second beta-222 [[edit:{path}|hello = 1|hello = 2]]"
    assert ask(user, second, "-s", first, name="kilo") == first
    versions(user, 2)
    session = user.json("list")["sessions"][0]["session"]
    assert user.json("status")["status"]["failures"] == []

    user.variables["PATH"] = os.pathsep.join([str(KILO.parent), user.environment()["PATH"]])
    gitsession = Path(sys.executable).parent / "gitsession"
    with terminal(user, gitsession, "resume", "HEAD~1") as screen:
        assert screen.shows("STEP 2 of 2: shell", 60), screen.text
        screen.types("Continued delta-444")
        screen.types("\r")
        versions(user, 2, "main-2")
        assert "beta-222" not in screen.text
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session, turns=2)


def test_goes_on_with_what_another_agent_held(kilo_user: User, model: Model) -> None:
    user = kilo_user
    session = Claude(cwd=str(user.project))
    session.turn("First alpha-111", "it holds a.py", command="ls")
    session.save(user.home)
    user.gitsession("save")
    done = user.json("checkout", "HEAD", "--to", "kilo")["checkout"]
    assert ask_on(user, "Continued delta-444", done["native_id"], "kilo") == done["native_id"]
    body = first_call_of(model, "Continued delta-444")
    said = [(role, results) for role, _, results in conversation(body)]
    assert said == [("user", 0), ("tool", 1), ("assistant", 0), ("user", 0)]
    words = ("First alpha-111", "'Bash'", "output of ls", "it holds a.py")
    assert all(word in str(body) for word in words)
    user.gitsession("save", done["native_id"])
    assert len(user.json("log", done["branch"])["versions"]) == 2
