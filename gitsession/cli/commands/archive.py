"""`archive`: hide a session from the list, but keep it in the store."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
An archived session is hidden from `list`. Everything else works as before, and new
turns of it are still saved.
"""
EXAMPLES = (
    ("gitsession archive @3", "hides the third row of the last list"),
    ("gitsession list --archived", "lists the archived sessions"),
    ("gitsession archive --undo fix-login-3fa9", "shows it in `list` again"),
)
EXITS = (10, 11, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a row (@1), name, slug or native id")
    parser.add_argument("--undo", action="store_true", help="show it in `list` again")


def run(arguments: argparse.Namespace, context: Context) -> int:
    name = context.repository().archive(arguments.session, undo=arguments.undo)
    if context.as_json:
        context.answer("archive", session=name, archived=not arguments.undo)
    elif arguments.undo:
        context.line(f"Unarchived {name}")
    else:
        context.line(f"Archived {name}; `gitsession archive --undo {name}` lists it again")
    return 0
