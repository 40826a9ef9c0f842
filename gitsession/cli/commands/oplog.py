"""`oplog`: list the operations that undo can take back."""

from __future__ import annotations

import time

from gitsession.cli.plain import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Newest first: number, age, verb, and how the refs moved. Arguments are never recorded.
"""
EXAMPLES = (
    ("gitsession oplog", "lists the last twenty"),
    ("gitsession undo 12", "undoes number 12"),
)
EXITS = (10, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-n", "--limit", metavar="N", type=count, default=20, help="at most N (default 20; 0: all)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    operations = context.repository().oplog(arguments.limit)
    if context.as_json:
        context.answer("oplog", operations=operations)
        return 0
    from gitsession.render import listing

    width = context.terminal.width if context.terminal.is_terminal else 0
    rows = listing.operations(operations, int(time.time()), palette=context.palette, width=width)
    context.page(rows if operations else ["No operation yet."])
    return 0
