"""`rename`: another title, and with it another name, for a session."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Gives a session the title that `list` shows. The name of its branches follows, the old
versions stay as they are. The agent's own list is not touched.
"""
EXAMPLES = (
    ("gitsession rename @1 'login with cookies'", "retitles the first row of the last list"),
)
EXITS = (10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a row (@1), name, slug or native id")
    parser.add_argument("title", metavar="TITLE", help="the new title")


def run(arguments: argparse.Namespace, context: Context) -> int:
    name = context.repository().rename(arguments.session, arguments.title)
    if context.as_json:
        context.answer("rename", session=name)
    else:
        context.line(f"The session is now {name}")
    return 0
