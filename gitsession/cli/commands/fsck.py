"""`fsck`: checks the store."""

from __future__ import annotations

from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Checks git's objects and refs, the format of every version, its counts, and that every
string which was cut out is there. Names the damaged thing and the last good version
before it. Changes nothing.
"""
EXAMPLES = (("gitsession fsck", "checks the whole store"),)
EXITS = (10, 17)
EXIT_MEANINGS = {0: "no problem", 1: "problems were found"}


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""
    del parser


def run(arguments: argparse.Namespace, context: Context) -> int:
    del arguments
    problems = tuple(context.repository().fsck())
    if context.as_json:
        context.answer("fsck", problems=problems)
        return NEGATIVE if problems else 0
    from gitsession.render import report

    context.print(report.problems(problems, palette=context.palette))
    return NEGATIVE if problems else 0
