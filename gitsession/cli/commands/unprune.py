"""`unprune`: show pruned tool results again."""

from __future__ import annotations

from gitsession.cli import marking

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Creates a version in whose contexts the results of the named calls, or of all calls, are
present again.
"""
EXAMPLES = (
    ("gitsession unprune", "brings all results back"),
    ("gitsession unprune toolu_01", "brings one result back"),
)
EXITS = marking.EXITS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("calls", metavar="CALL", nargs="*", help="ids of tool calls")
    parser.add_argument(
        "--at",
        dest="revision",
        metavar="REV",
        default="HEAD",
        help="the newest version of another branch",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    version = context.repository().mark_context(
        "unprune", arguments.revision, calls=tuple(arguments.calls)
    )
    return marking.tell("unprune", version, context)
