"""`prune`: clears old tool results in every context."""

from __future__ import annotations

from gitsession.cli import marking

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Makes a version in whose contexts the results of the named calls are cleared. Without
names, those beyond the newest 40,000 tokens of tool output, if that frees more than
20,000; results of `skill` stay. Only a mark is written: `show` prints every result.
"""
EXAMPLES = (
    ("gitsession prune", "old tool output, by the rule"),
    ("gitsession prune toolu_01 toolu_02", "these two results"),
)
EXITS = marking.EXITS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("calls", metavar="CALL", nargs="*", help="ids of tool calls")
    parser.add_argument(
        "--at", dest="revision", metavar="REV", default="HEAD", help="the newest of another branch"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    version = context.repository().mark_context(
        "prune", arguments.revision, calls=tuple(arguments.calls)
    )
    return marking.tell(version, context)
