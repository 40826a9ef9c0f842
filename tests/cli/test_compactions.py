"""A session that its agent compacted is found by that in the list."""

from __future__ import annotations

from pathlib import Path

from tests.builders import Claude

from .conftest import Cli


def test_list_and_log_say_how_often_a_session_was_compacted(cli: Cli) -> None:
    agent = Claude(cwd=cli.environment.cwd)
    home = Path(cli.environment.home)
    agent.prompt("first")
    agent.say("done")
    agent.save(home)
    cli("save")
    assert "compaction" not in cli("list").out
    assert cli("list", "--json").json["sessions"][0]["compactions"] == 0
    for number in (1, 2):
        agent.compact()
        agent.prompt(f"on with {number}")
        agent.say("done")
    agent.save(home)
    cli("save")
    assert " · 2 compactions" in cli("list").out
    assert cli("list", "--json").json["sessions"][0]["compactions"] == 2
    told = [version["compactions"] for version in cli("log", "--json").json["versions"]]
    assert told[0] == 2 and told[-1] == 0 and told == sorted(told, reverse=True)
