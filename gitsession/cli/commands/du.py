"""`du`: show what each session takes on disk, and how much could be freed."""

from __future__ import annotations

from gitsession.cli.plain import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Largest first. "alone" is what only this session needs, so what `delete --purge` would
free; "shared" is also needed by other sessions, such as a file that several of them read.
"history" is the part of "alone" that the newest versions do not need: the most that
`gc --keep-…` could free. Sizes are compressed sizes on disk.
"""
EXAMPLES = (
    ("gitsession du", "lists every session, largest first"),
    ("gitsession du --limit 5", "lists the five largest"),
)
EXITS = (10, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit", metavar="N", type=count, default=0, help="at most N rows (default: all)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    usage = context.repository().du()
    if context.as_json:
        context.answer("du", usage=usage)
        return 0
    from gitsession.render import care

    width = context.terminal.width if context.terminal.is_terminal else 0
    limit = max(arguments.limit, 0)
    context.page(care.usage(usage, limit, palette=context.palette, width=width))
    return 0
