"""`diff`: show what changed, in terms of a conversation."""

from __future__ import annotations

from gitsession.cli import at_operation
from gitsession.cli.combined import exclusive
from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Compares two versions: turns that were added, removed or changed, tool calls with their
arguments and outcome, files as unified diffs, todos and metadata; across a compaction,
also which messages left the context. With one version, compares it with the present,
unsaved turns included. Without any, shows what is not saved yet, or otherwise the last
turn; the first line says which.
"""
EXAMPLES = (
    ("gitsession diff", "shows what is not saved yet, or the last turn"),
    ("gitsession diff HEAD~2 HEAD --stat", "summarizes the last two turns"),
    ("gitsession diff main try-cookies --files", "compares only the files of two branches"),
)
EXITS = (10, 12, 16, 17)
EXIT_MEANINGS = {1: "with --exit-code: there are differences"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "old",
        metavar="A",
        nargs="?",
        default="",
        help="a version, or A..B; REV:N ends at message N",
    )
    parser.add_argument("new", metavar="B", nargs="?", default="", help="another version")
    parser.add_argument("--stat", action="store_true", help="print only a summary")
    parser.add_argument("--messages", action="store_true", help="only the conversation")
    parser.add_argument("--files", action="store_true", help="only files")
    parser.add_argument(
        "--exit-code", action="store_true", help="exit with 1 if there are differences"
    )
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    exclusive({"--stat": arguments.stat, "--messages": arguments.messages})
    exclusive({"--stat": arguments.stat, "--files": arguments.files})
    diff, compared = context.repository().diff(arguments.old, arguments.new)
    code = NEGATIVE if arguments.exit_code and not diff.empty else 0
    if context.as_json:
        context.answer("diff", compared=compared, diff=diff)
        return code
    from gitsession.render import diff as drawn

    everything = arguments.messages == arguments.files
    palette, width = context.palette, context.terminal.width
    context.open_pager()
    if compared:
        context.line(compared)
    if arguments.stat:
        context.page(drawn.stat(diff, palette=palette, width=width))
    else:
        context.page(
            drawn.text(
                diff, palette=palette, width=width,
                messages=everything or arguments.messages, files=everything or arguments.files,
            )
        )  # fmt: skip
    return code
