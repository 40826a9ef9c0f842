"""`redo`: takes back the last undo."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Only while nothing newer was done in this project.
"""
EXAMPLES = (("gitsession redo", "takes the last undo back"),)
EXITS = (10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""
    del parser


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.commands.undo import tell

    del arguments
    return tell(context.repository().redo(), context, taken_back=False)
