"""`verify-facts`: check whether a context still states given facts."""

from __future__ import annotations

from gitsession.cli import viewing
from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Reads facts, one per line, from a file (- for standard input), skipping blank lines and
those that start with #, and lists the ones that the context of a version does not contain.
Ignores case. Made for scripts.
"""
EXAMPLES = (
    ("gitsession verify-facts facts.txt --budget 8000", "checks the context before you continue"),
    ("echo JWT | gitsession verify-facts - HEAD~3", "checks one fact in another version"),
)
EXITS = (10, 12, 16, 17)
EXIT_MEANINGS = {0: "the context contains all of them", 1: "some are missing"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="facts, one per line; - for standard input")
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, or REV:N"
    )
    viewing.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    view = viewing.wishes(arguments, context)
    if arguments.file == "-":
        text = context.terminal.stdin.read()
    else:
        text = viewing.read_text(context.path(arguments.file))
    missing = context.repository().verify_facts(text.split("\n"), arguments.revision, **view)
    if context.as_json:
        context.answer("verify-facts", missing=missing)
    else:
        for fact in missing:
            context.line(f"missing: {fact}")
    return NEGATIVE if missing else 0
