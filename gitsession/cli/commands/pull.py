"""`pull`: fetch, then your branches move forward where that loses nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Branches that can simply go forward do; where both sides went on, both lines are kept
and you are told. Nothing is merged and nothing is forced.
"""
EXAMPLES = (("gitsession pull", "gets what is new and moves the branches forward"),)
EXITS = (10, 11, 12, 13, 15, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "remote", metavar="REMOTE", nargs="?", default="", help="default: the only one, or origin"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.commands.fetch import tell

    return tell(context.repository().pull(arguments.remote), "pull", context)
