"""`rename`: give a session another title, and with it another name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Changes the title that `list` shows. The session's branches are renamed accordingly; old
versions stay as they are, and so does the title in the agent's own list.
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
        context.line(f"Renamed to {name}")
    return 0
