"""`agents`: list which agents are on this machine, and what gitsession can do with each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.agents.base import Capabilities
    from gitsession.cli.context import Context
    from gitsession.operations.reading.status import AgentRow

ABOUT = """
For each agent that gitsession supports: whether it has sessions on this machine, how
many, where they are, and what gitsession can do with them.
"""
EXAMPLES = (("gitsession agents", "prints the table"),)
EXITS = (17,)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: this verb has no arguments of its own."""
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
    heading = ("agent", "sessions", "supports", "where")
    context.page(
        listing.table(table, palette=context.palette, heading=heading, roles=("title",), right=(1,))
    )
    return 0


def _count(row: AgentRow) -> str:
    return str(row.sessions) if row.present else "-"


def _place(folder: str, home: str) -> str:
    """Return a folder below the user's home with `~`, as in a shell: a table has little room."""
    inside = folder.removeprefix(home.rstrip("/") + "/")
    return f"~/{inside}" if home and inside != folder else folder


def _abilities(capabilities: Capabilities) -> str:
    """Return the abilities in words, such as `save, checkout, resume`, in the protocol's order."""
    words = {"capture": "save", "restore": "checkout", "resume": "resume", "hooks": "hooks",
             "compose": "--to"}  # fmt: skip
    return ", ".join(word for name, word in words.items() if getattr(capabilities, name))
