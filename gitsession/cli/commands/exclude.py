"""`exclude`: what is excluded is never read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
A directory excludes every session that was started in it or below it; a session
excludes just that one. Excluded sources are not opened, not even to list them. What
is already saved stays.
"""
EXAMPLES = (
    ("gitsession exclude ~/private", "never reads sessions of that folder"),
    ("gitsession exclude --undo ~/private", "reads them again"),
)
EXITS = (10, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="DIR|SESSION", help="a directory or a session")
    parser.add_argument("--undo", action="store_true", help="do not exclude it any more")


def run(arguments: argparse.Namespace, context: Context) -> int:
    context.repository(create=True).exclude(arguments.what, undo=arguments.undo)
    if context.as_json:
        context.answer("exclude", what=arguments.what, excluded=not arguments.undo)
    else:
        context.line(f"{'No longer excluded' if arguments.undo else 'Excluded'}: {arguments.what}")
    return 0
