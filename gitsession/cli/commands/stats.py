"""`stats`: tokens, tools and loops of a version."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Counts what a conversation took up to a version: turns, messages, tokens as the transcript
states them, how often each tool was called and failed. A loop is the same call with the
same input three times in a row or more: the agent was stuck, or waited for something.
"""
EXAMPLES = (
    ("gitsession stats", "the current session"),
    ("gitsession stats @2 --loops", "only the calls that another one repeats"),
)
EXITS = (10, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, default HEAD"
    )
    parser.add_argument(
        "--stream", metavar="STREAM", default="", help="of a subagent alone: subagents/ID"
    )
    parser.add_argument("--loops", action="store_true", help="list the loops alone")


def run(arguments: argparse.Namespace, context: Context) -> int:
    found = context.repository().stats(arguments.revision, arguments.stream)
    if context.as_json:
        context.answer("stats", stats=found)
        return 0
    from gitsession.render import stats

    if not arguments.loops:
        context.page(stats.stats(found, palette=context.palette))
    elif found.loops:
        context.page(stats.loops(found.loops, palette=context.palette))
    else:
        context.line("no call was made three times in a row")
    return 0
