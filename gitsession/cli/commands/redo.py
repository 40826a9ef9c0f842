"""`redo`: take back the last undo."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Works only while nothing newer was done in this project.
"""
EXAMPLES = (("gitsession redo", "redoes what was undone last"),)
EXITS = (10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: this verb has no arguments of its own."""
    del parser


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.commands.undo import tell

    del arguments
    return tell(context.repository().redo(), context, taken_back=False)
