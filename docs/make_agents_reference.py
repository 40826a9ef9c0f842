"""Writes docs/reference/agents.md from the adapters.

Run `python docs/make_agents_reference.py`. A test keeps the page equal to what this makes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gitsession.agents import registry
from gitsession.agents.base import Agent
from gitsession.environment import Environment
from gitsession.render.report import command_line

PAGE = Path(__file__).parent / "reference" / "agents.md"
_ABILITIES = (
    ("capture", "save"),
    ("incremental", "incremental"),
    ("subagents", "subagents"),
    ("sidecars", "sidecars"),
    ("tree", "tree"),
    ("restore", "checkout"),
    ("resume", "resume"),
    ("hooks", "hooks"),
    ("compose", "checkout --to"),
)
_TEXT = """# Agents

<!-- Made by docs/make_agents_reference.py from the adapters; edit those instead. -->

What gitsession supports for each agent, as declared by its adapter (`gitsession agents` prints the same
for this machine). Tests verify for every adapter what this table says.

{table}

- *save*: sessions are read and become versions.
- *incremental*: when a session grew, reading continues where the last save stopped, and the history is
  kept. Otherwise, a longer file becomes one more version, of kind `rewrite`.
- *subagents*, *sidecars*: conversations of subagents, and other files of a session, are saved.
- *tree*: a conversation with branches is saved completely; the displayed branch is the conversation. In a
  LobeChat topic or a ChatGPT export, every branch that is not displayed becomes a session of its own.
- *checkout*: `checkout` writes a session of this agent. *resume*: the agent continues it with the
  command given below. *hooks*: `hooks install` makes the agent save automatically.
- *checkout --to*: `checkout --to` creates a session of this agent from a session of any other.

## Where sessions are, and how they are continued

{places}

`import FILE` reads a file in any of these formats from any place. A file that contains several sessions
(a database, the export of an account or of a chat service) becomes one session per conversation.

## Other agents

For an agent of your own, write the [generic format](generic-format.md) or
[an adapter](../how-to/add-an-agent.md).
"""


def page() -> str:
    """The whole page."""
    agents = list(registry.all_agents())
    heading = ["agent", *(word for _, word in _ABILITIES)]
    rows = [[f"{a.title} (`{a.name}`)", *_marks(a)] for a in agents]
    places = [[a.title, _place(a), _command(a)] for a in agents]
    return _TEXT.format(
        table=_table(heading, rows), places=_table(["agent", "where", "continue with"], places)
    )


def _marks(agent: Agent) -> list[str]:
    return ["yes" if getattr(agent.capabilities, name) else "" for name, _ in _ABILITIES]


def _place(agent: Agent) -> str:
    """The folder, in words that hold on every machine."""
    variables = {"HOME": "/HOME", "XDG_DATA_HOME": ""}
    home = str(agent.home(Environment(variables, "/HOME", "/PROJECT")))
    if "/exports/" in home:
        return "files passed to `import`"
    return f"`{home.replace('/HOME', '~', 1).replace('/PROJECT', 'the project: .', 1)}`"


def _command(agent: Agent) -> str:
    command = agent.resume_command("ID", "/PROJECT") if agent.capabilities.resume else ()
    return f"`{command_line(command)}`" if command else ""


def _table(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
