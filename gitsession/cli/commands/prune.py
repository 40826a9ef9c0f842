"""`prune`: clear old tool results in every context."""

from __future__ import annotations

from gitsession.cli import marking

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Creates a version in whose contexts the results of the named calls are cleared. Without
names, clears results beyond the newest 40,000 tokens of tool output if that frees more
than 20,000 tokens; results of `skill` stay. Only a marker is written: `show` still prints
every result.
"""
EXAMPLES = (
    ("gitsession prune", "clears old tool results, as described above"),
    ("gitsession prune toolu_01 toolu_02", "clears these two results"),
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
        "prune", arguments.revision, calls=tuple(arguments.calls)
    )
    return marking.tell("prune", version, context)
