"""`du`: what each session takes on disk, and what could be won."""

from __future__ import annotations

from gitsession.cli.plain import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Largest first. "alone" is what only this session holds, so what `delete --purge` would
free; "shared" is held by others too, such as a file that several sessions read. "history"
is the part of "alone" that the tips do not need: the most that `gc --keep-…` could win.
Sizes are compressed bytes as they lie there.
"""
EXAMPLES = (
    ("gitsession du", "every session, largest first"),
    ("gitsession du --limit 5", "the five largest"),
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
