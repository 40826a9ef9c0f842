"""stats: what a conversation took, and where an agent went round in circles."""

from __future__ import annotations

from gitsession.environment import Environment
from gitsession.model.stats import Loop, ToolUse
from gitsession.repository import Repository
from tests.cli.conftest import Cli

from .conftest import LiveSession


def called(live: LiveSession, command: str, *, failed: bool = False) -> None:
    live.minute += 1
    call = f"toolu_{live.minute:04d}"
    part = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    live.assistant([part], "tool_use")
    result = {"type": "tool_result", "tool_use_id": call, "content": "…", "is_error": failed}
    live.row("user", {"role": "user", "content": [result]})


def a_session_in_circles(live: LiveSession) -> None:
    live.prompt("make it pass")
    for command in ("ls", "pytest", "pytest", "ls", "pytest", "pytest", "pytest", "pytest"):
        called(live, command, failed=command == "pytest")
    live.assistant([{"type": "text", "text": "I give up."}], "end_turn")


def test_OC26_the_same_call_three_times_in_a_row(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    a_session_in_circles(live)
    live.turn("and now?", "still not")
    repository.save()
    [loop] = repository.stats().loops
    assert isinstance(loop, Loop)
    assert (loop.tool, loop.times, loop.input) == ("Bash", 4, '{"command": "pytest"}')
    assert loop.first <= loop.last <= len(repository.session().messages)
    said = Cli(environment)("stats", "--loops").out
    assert said.count("\n") == 1
    assert "Bash 4 times in a row" in said


def test_counts(repository: Repository, live: LiveSession, environment: Environment) -> None:
    a_session_in_circles(live)
    live.turn("and now?", "still not")
    repository.save()
    found = repository.stats()
    assert (found.turns, found.prompts) == (2, 2)
    assert found.tools == (ToolUse("Bash", 8, 6),)
    assert found.tokens == repository.session().usage
    assert found.tokens.total > 0
    assert repository.stats("HEAD~1").turns == 1
    cli = Cli(environment)
    assert "8       6  Bash" in cli("stats").out
    assert cli("stats", "--json").json["stats"]["tools"] == [
        {"name": "Bash", "calls": 8, "errors": 6}
    ]


def test_two_in_a_row_are_no_loop(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    live.prompt("look")
    for command in ("ls", "ls", "pwd", "ls"):
        called(live, command)
    live.assistant([{"type": "text", "text": "ok"}], "end_turn")
    repository.save()
    assert not repository.stats().loops
    assert "no call" in Cli(environment)("stats", "--loops").out
