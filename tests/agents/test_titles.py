"""What a session is called when its agent gives it no title."""

from __future__ import annotations

import pytest

from gitsession.agents import registry
from gitsession.agents.base import first_title
from gitsession.environment import Environment
from tests.agents.contract import the_source, whole
from tests.builders import Claude
from tests.gemini_builder import Gemini
from tests.pi_builder import Pi
from tests.qwen_builder import Qwen

BUILDERS = {"claude-code": Claude, "pi": Pi, "gemini": Gemini, "qwen": Qwen}


@pytest.mark.parametrize("agent", BUILDERS)
def test_the_first_thing_asked_after_bare_commands_is_the_title(
    agent: str, environment: Environment
) -> None:
    session = BUILDERS[agent]()
    for prompt in ("/mode", "/clear", "make the login work\nand soon", "now the logout"):
        session.turn(prompt, "done")
    adapter = registry.get(agent)
    source = the_source(adapter, session.save(environment.home))
    titles = [one.info.title for one in adapter.read(source)]
    assert titles[0] == "/mode"
    assert titles[1] == "/clear"
    assert set(titles[2:]) == {"make the login work"}
    assert whole(adapter.read(source)).info.title == "make the login work"


@pytest.mark.parametrize(
    "held",
    ["/review the last commit", "/home/me/a.py is broken", "why?", "/usr/bin/python", "/"],
)
def test_what_says_something_stays(held: str) -> None:
    assert first_title(held, "another") == (held if held != "/" else "another")


def test_nothing_asked_changes_nothing() -> None:
    assert first_title("/mode", " \n") == "/mode"
    assert first_title("", "") == ""
