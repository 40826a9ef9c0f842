"""`archive`: out of the list, still in the store."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
An archived session is left out of `list`; everything else works as before, and what
is new in it is still saved.
"""
EXAMPLES = (
    ("gitsession archive @3", "takes the third row of the last list out of the list"),
    ("gitsession list --archived", "shows what is archived"),
    ("gitsession archive --undo fix-login-3fa9", "back into the list"),
)
EXITS = (10, 11, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a row (@1), name, slug or native id")
    parser.add_argument("--undo", action="store_true", help="bring it back into the list")


def run(arguments: argparse.Namespace, context: Context) -> int:
    name = arguments.session
    context.repository().archive(name, undo=arguments.undo)
    if context.as_json:
        context.answer("archive", session=name, archived=not arguments.undo)
    elif arguments.undo:
        context.line(f"Back in the list: {name}")
    else:
        context.line(f"Archived: {name}")
    return 0
