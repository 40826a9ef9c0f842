"""`exclude`: never read a folder's sessions, or one session."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Excluding a directory excludes every session that was started in or below it; excluding a
session excludes only that one. Excluded session files are never opened, not even to list
them. What was saved before stays.
"""
EXAMPLES = (
    ("gitsession exclude ~/private", "never reads sessions started in that folder"),
    ("gitsession exclude --undo ~/private", "allows reading them again"),
)
EXITS = (10, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="DIR|SESSION", help="a directory or a session")
    parser.add_argument("--undo", action="store_true", help="stop excluding it")


def run(arguments: argparse.Namespace, context: Context) -> int:
    context.repository(create=True).exclude(arguments.what, undo=arguments.undo)
    if context.as_json:
        context.answer("exclude", what=arguments.what, excluded=not arguments.undo)
    else:
        context.line(f"{'No longer excluded' if arguments.undo else 'Excluded'}: {arguments.what}")
    return 0
