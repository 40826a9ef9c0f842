"""`pull`: fetch, then fast-forward your branches where that loses nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Fast-forwards the branches that can be; where both sides have new versions, keeps both lines
and tells you. Nothing is merged and nothing is forced.
"""
EXAMPLES = (("gitsession pull", "fetches and fast-forwards the branches"),)
EXITS = (10, 11, 12, 13, 15, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "remote",
        metavar="REMOTE",
        nargs="?",
        default="",
        help="default: the only remote, or origin",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.commands.fetch import tell

    return tell(context.repository().pull(arguments.remote), "pull", context)
