"""The command that continues a session, as it is printed."""

from __future__ import annotations

from gitsession.agents.continue_cli import AGENT as CONTINUE
from gitsession.agents.kilo import AGENT as KILO
from gitsession.agents.opencode import AGENT
from gitsession.render.report import command_line


def test_a_command_of_two_steps_reads_as_two() -> None:
    command = AGENT.start_command("ses_x", "/p", "/home/you/a b.json")
    assert command_line(command, "/p q") == (
        "cd '/p q' && opencode import '/home/you/a b.json' && opencode --session=ses_x"
    )
    assert command_line(KILO.start_command("ses_x", "/p", "/a b.json"), "/p") == (
        "cd /p && kilo import '/a b.json' && kilo --session=ses_x"
    )
    assert command_line(CONTINUE.start_command("x", "/p", "/a b.json"), "/p") == (
        "cd /p && touch '/a b.json' && cn --resume"
    )
    assert command_line(CONTINUE.resume_command("278cc8ae", "/p"), "/p") == (
        'cd /p && touch "${CONTINUE_GLOBAL_DIR:-$HOME/.continue}/sessions/"278cc8ae".json"'
        " && cn --resume"
    )
    assert command_line(("pi", "--session", "a b")) == "pi --session 'a b'"
