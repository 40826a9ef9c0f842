"""The command that continues a session, as it is printed."""

from __future__ import annotations

from gitsession.agents.opencode import AGENT
from gitsession.render.report import command_line


def test_a_command_of_two_steps_reads_as_two() -> None:
    command = AGENT.start_command("ses_x", "/p", "/home/you/a b.json")
    assert command_line(command, "/p q") == (
        "cd '/p q' && opencode import '/home/you/a b.json' && opencode --session=ses_x"
    )
    assert command_line(("pi", "--session", "a b")) == "pi --session 'a b'"
