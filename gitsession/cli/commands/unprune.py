"""`unprune`: shows pruned tool results again."""

from __future__ import annotations

from gitsession.cli import marking

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Makes a version in whose contexts the results of the named calls, or of all, stand again.
"""
EXAMPLES = (
    ("gitsession unprune", "all of them"),
    ("gitsession unprune toolu_01", "one of them"),
)
EXITS = marking.EXITS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("calls", metavar="CALL", nargs="*", help="ids of tool calls")
    parser.add_argument(
        "--at", dest="revision", metavar="REV", default="HEAD", help="the newest of another branch"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    version = context.repository().mark_context(
        "unprune", arguments.revision, calls=tuple(arguments.calls)
    )
    return marking.tell(version, context)
