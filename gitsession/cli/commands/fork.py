"""`fork`: create a branch and move HEAD to it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Does the same as `branch NAME REV` and moves HEAD of this directory to the new branch.
`gitsession resume` then starts the agent there.
"""
EXAMPLES = (
    ("gitsession fork try-cookies HEAD:7", "forks after message 7"),
    ("gitsession resume", "starts the agent there"),
)
EXITS = (10, 11, 12, 13, 14, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the new branch")
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="where it starts (default HEAD)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.commands.branch import create

    return create(arguments.name, arguments.revision, context, move=True)
