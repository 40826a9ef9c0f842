"""`scan`: looks for secrets and writes nothing."""

from __future__ import annotations

from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Looks through files and folders, through the sources of this project when none is
named, or with --all through every version of the store. Names the rule and the place
of each finding, never the value.
"""
EXAMPLES = (
    ("gitsession scan notes.md logs/", "two places"),
    ("gitsession scan --all", "the whole store, with today's rules"),
)
EXITS = (10, 12, 16, 17)
EXIT_MEANINGS = {0: "nothing was found", 1: "something was found"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files and folders")
    parser.add_argument("--all", action="store_true", help="every version of the store")


def run(arguments: argparse.Namespace, context: Context) -> int:
    paths = tuple(str(context.path(name)) for name in arguments.paths)
    findings = tuple(context.repository(create=True).scan(paths, everything=arguments.all))
    if context.as_json:
        context.answer("scan", findings=findings)
    else:
        from gitsession.render import report

        rows = [(found.place, found.rule, found.placeholder) for found in findings]
        context.print(report.scanned(rows, palette=context.palette))
    return NEGATIVE if findings else 0
