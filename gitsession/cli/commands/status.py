"""`status`: show where this directory's HEAD is, and what is not saved yet."""

from __future__ import annotations

import time

from gitsession.cli import at_operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Shows the current session and branch, unsaved records, whether the agent's own files are
still there (live, missing, shrunk, stub), files whose content was withheld, checkouts that
were never used, and hooks that failed.
"""
EXAMPLES = (("gitsession status", "shows where you are"),)
EXITS = (10, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    del arguments
    status = context.repository(missing=True).status()
    if context.as_json:
        context.answer("status", status=status)
        return 0
    from gitsession.render import status as drawn

    context.page(
        drawn.text(status, int(time.time()), palette=context.palette, width=context.terminal.width)
    )
    return 0
