"""Writes docs/reference/agents.md from the adapters.

Run `python docs/make_agents_reference.py`. A test keeps the page equal to what this makes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gitsession.agents import registry
from gitsession.agents.base import Agent
from gitsession.environment import Environment

PAGE = Path(__file__).parent / "reference" / "agents.md"
_ABILITIES = (
    ("capture", "saved"),
    ("incremental", "goes on"),
    ("subagents", "subagents"),
    ("sidecars", "sidecars"),
    ("tree", "tree"),
    ("restore", "restored"),
    ("resume", "resumed"),
    ("hooks", "hooks"),
    ("compose", "taken over"),
)
_TEXT = """# Agents

<!-- Made by docs/make_agents_reference.py from the adapters; edit those instead. -->

What can be done with each agent, as its adapter declares it (`gitsession agents` prints the same
for the agents of this machine). The tests hold every adapter to what it says here.

{table}

- *saved*: sessions are read and become versions.
- *goes on*: a session that grew is read from where the last save stopped, and keeps its history.
  Without it a longer file is one more version, of kind `rewrite`.
- *subagents*, *sidecars*: the conversations of subagents and the other files of a session are kept.
- *tree*: a conversation with branches is kept whole; the one being shown is the conversation. In a
  LobeChat topic or a ChatGPT export each line that is not shown is a session of its own.
- *restored*: `checkout` writes a session of this agent. *resumed*: the agent continues it with the
  command given below. *hooks*: `hooks install` makes the agent save by itself.
- *taken over*: `checkout --to` makes a session of this agent from a session of any other.

## Where sessions are, and how they are continued

{places}

`import FILE` takes a file of any of these forms from any place. A file that holds several sessions
(a database, the export of an account or of a chat service) gives one session for each conversation.

## Other agents

An agent of your own writes the [generic form](generic-format.md), or brings
[an adapter](../how-to/add-an-agent.md).
"""


def page() -> str:
    """The whole page."""
    agents = list(registry.all_agents())
    heading = ["agent", *(word for _, word in _ABILITIES)]
    rows = [[f"{a.title} (`{a.name}`)", *_marks(a)] for a in agents]
    places = [[a.title, _place(a), _command(a)] for a in agents]
    return _TEXT.format(
        table=_table(heading, rows), places=_table(["agent", "where", "continued by"], places)
    )


def _marks(agent: Agent) -> list[str]:
    return ["yes" if getattr(agent.capabilities, name) else "" for name, _ in _ABILITIES]


def _place(agent: Agent) -> str:
    """The folder, in words that hold on every machine."""
    variables = {"HOME": "/HOME", "XDG_DATA_HOME": ""}
    home = str(agent.home(Environment(variables, "/HOME", "/PROJECT")))
    if "/exports/" in home:
        return "files given by hand"
    return f"`{home.replace('/HOME', '~', 1).replace('/PROJECT', 'the project: .', 1)}`"


def _command(agent: Agent) -> str:
    command = agent.resume_command("ID", "/PROJECT") if agent.capabilities.resume else ()
    return f"`{' '.join(command)}`" if command else ""


def _table(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
