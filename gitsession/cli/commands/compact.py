"""`compact`: reads the older part of a conversation as one summary from here on."""

from __future__ import annotations

from gitsession.cli import marking
from gitsession.cli.plain import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Makes a version in which every context begins with a summary of all but the newest
exchanges. Only a mark is written: the messages stay stored, `show` shows them, and --undo
(or `gitsession undo`) brings them back into contexts. Key messages stay in any case.
"""
EXAMPLES = (
    ("gitsession compact", "all but the last four exchanges"),
    ("gitsession compact --when-due", "only if 100,000 input tokens came since the last one"),
    ("gitsession compact --undo", "see everything again"),
)
EXITS = marking.EXITS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="the newest version of a branch"
    )
    parser.add_argument(
        "--recent", metavar="N", type=count, default=4, help="exchanges that stay (default: 4)"
    )
    parser.add_argument(
        "--when-due", action="store_true",
        help="only if the input tokens since the last compaction reach the threshold",
    )  # fmt: skip
    parser.add_argument(
        "--threshold", metavar="N", type=count, default=0,
        help="that threshold (default: CLAUDE_CODE_AUTO_COMPACT_INPUT_TOKENS, else 100000)",
    )  # fmt: skip
    parser.add_argument("--undo", action="store_true", help="take the compaction back")


def run(arguments: argparse.Namespace, context: Context) -> int:
    repository = context.repository()
    if arguments.undo:
        return marking.tell(repository.mark_context("uncompact", arguments.revision), context)
    crossing = 0
    if arguments.when_due:
        crossing = repository.compaction_due(arguments.revision, max(arguments.threshold, 0))
        if not crossing:
            if context.as_json:
                context.answer("mark", version=None)
            else:
                context.line("No compaction is due")
            return 0
    version = repository.mark_context(
        "compact", arguments.revision, recent=arguments.recent, crossing=crossing
    )
    return marking.tell(version, context)
