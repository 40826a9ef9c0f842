"""`stats`: count the tokens, tools and loops of a version."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Counts turns, messages, tokens as stated by the transcript, and how often each tool was
called and failed, up to a version. A loop is the same call with the same input three times
in a row or more: the agent was stuck, or was waiting for something.
"""
EXAMPLES = (
    ("gitsession stats", "counts the current session"),
    ("gitsession stats @2 --loops", "lists only the loops of another session"),
)
EXITS = (10, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version (default HEAD)"
    )
    parser.add_argument(
        "--stream", metavar="STREAM", default="", help="only one subagent: subagents/ID"
    )
    parser.add_argument("--loops", action="store_true", help="list only the loops")


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
        context.line("no loops: no call was made three times in a row")
    return 0
