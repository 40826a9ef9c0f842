"""Real agents: their own lists name a checkout by its title, branch and version."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from . import test_claude, test_codex, test_gemini, test_pi, test_qwen
from .app_server import asked
from .conftest import User
from .terminal import terminal
from .test_convert import ASK
from .test_permissions import known_to_claude

claude_user, codex_user, gemini_user, pi_user, qwen_user = (
    test_claude.claude_user, test_codex.codex_user, test_gemini.gemini_user,
    test_pi.pi_user, test_qwen.qwen_user,
)  # fmt: skip


def in_claude(user: User, wanted: str) -> bool:
    known_to_claude(user)
    with terminal(user, test_claude.CLAUDE, "--resume") as screen:
        return screen.shows(wanted)


def in_pi(user: User, wanted: str) -> bool:
    with terminal(user, test_pi.PI, "--provider", "fake", "--model", "fake-model", "-r") as screen:
        return screen.shows(wanted)


def in_codex(user: User, wanted: str) -> bool:
    threads = asked(user, "thread/list", {"limit": 50, "sourceKinds": ["cli"]})["data"]
    return wanted in [thread["preview"] for thread in threads]


LISTED: dict[str, Callable[[User, str], bool]] = {
    "claude-code": in_claude,
    "codex": in_codex,
    "pi": in_pi,
    "gemini": lambda user, wanted: wanted in user.run(test_gemini.GEMINI, "--list-sessions"),
    "qwen": lambda user, wanted: wanted in user.run(test_qwen.QWEN, "sessions", "list", "--json"),
}


@pytest.mark.parametrize("agent", LISTED)
def test_a_checkout_is_listed_with_branch_and_version(
    request: pytest.FixtureRequest, agent: str
) -> None:
    user: User = request.getfixturevalue(f"{agent.partition('-')[0]}_user")
    ASK[agent](user, "First alpha-111", "")
    user.gitsession("save")
    done = user.json("checkout", "HEAD")["checkout"]
    place = f"{done['branch'].rpartition('/')[2]}@{done['version']['id'][:7]}"
    wanted = f"First alpha-111 [{place}]"
    assert LISTED[agent](user, wanted)

    ASK[agent](user, "Continued delta-444", done["native_id"])
    user.gitsession("save", done["native_id"])
    again = user.json("checkout", done["branch"], "-b", "third")["checkout"]
    wanted = f"First alpha-111 [third@{again['version']['id'][:7]}]"
    assert LISTED[agent](user, wanted)
