"""`agents`: which agents are on this machine, and what can be done with each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.agents.base import Capabilities
    from gitsession.cli.context import Context
    from gitsession.operations.reading.status import AgentRow

ABOUT = """
For each agent that gitsession knows: whether its sessions are on this machine, how
many, where they lie, and which of its abilities are supported.
"""
EXAMPLES = (("gitsession agents", "the table"),)
EXITS = (17,)


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""
    del parser


def run(arguments: argparse.Namespace, context: Context) -> int:
    del arguments
    rows = context.repository(missing=True).agents()
    if context.as_json:
        context.answer("agents", agents=rows)
        return 0
    from gitsession.render import listing

    home = context.environment.home_folder
    table = [
        (row.name, _count(row), _abilities(row.capabilities), _place(row.home, home))
        for row in rows
    ]
    heading = ("agent", "sessions", "can be", "where")
    context.page(
        listing.table(table, palette=context.palette, heading=heading, roles=("title",), right=(1,))
    )
    return 0


def _count(row: AgentRow) -> str:
    return str(row.sessions) if row.present else "-"


def _place(folder: str, home: str) -> str:
    """A folder below the user's home as a shell would take it: a table has no room for more."""
    inside = folder.removeprefix(home.rstrip("/") + "/")
    return f"~/{inside}" if home and inside != folder else folder


def _abilities(capabilities: Capabilities) -> str:
    """`saved, restored, resumed`: in the order of the protocol, in words."""
    words = {"capture": "saved", "restore": "restored", "resume": "resumed", "hooks": "hooked",
             "compose": "taken over"}  # fmt: skip
    return ", ".join(word for name, word in words.items() if getattr(capabilities, name))
