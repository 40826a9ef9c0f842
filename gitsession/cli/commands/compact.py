"""`compact`: replace the older part of a conversation by one summary from here on."""

from __future__ import annotations

from gitsession.cli import marking
from gitsession.cli.combined import exclusive, goes_with
from gitsession.cli.plain import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Creates a version from which on every context begins with a summary of all but the newest
exchanges. Only a marker is written: the messages stay stored, `show` prints them, and
--undo (or `gitsession undo`) brings them back into contexts. Key messages are always kept.
"""
EXAMPLES = (
    ("gitsession compact", "summarizes all but the last four exchanges"),
    (
        "gitsession compact --when-due",
        "only if 100,000 input tokens were used since the last compaction",
    ),
    ("gitsession compact --undo", "contexts contain everything again"),
)
EXITS = marking.EXITS

_RECENT = 4


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="the newest version of a branch"
    )
    parser.add_argument(
        "--recent",
        metavar="N",
        type=count,
        default=-1,
        help="how many exchanges stay whole (default: 4)",
    )
    parser.add_argument(
        "--when-due", action="store_true",
        help="only if the input tokens since the last compaction reach the threshold",
    )  # fmt: skip
    parser.add_argument(
        "--threshold", metavar="N", type=count, default=0,
        help="that threshold (default: CLAUDE_CODE_AUTO_COMPACT_INPUT_TOKENS, else 100000)",
    )  # fmt: skip
    parser.add_argument("--undo", action="store_true", help="undo the compaction")


def run(arguments: argparse.Namespace, context: Context) -> int:
    exclusive({"--undo": arguments.undo, "--when-due": arguments.when_due})
    exclusive({"--undo": arguments.undo, "--recent": arguments.recent >= 0})
    goes_with({"--threshold": arguments.threshold}, "--when-due", arguments.when_due)
    recent = arguments.recent if arguments.recent >= 0 else _RECENT
    repository = context.repository()
    if arguments.undo:
        undone = repository.mark_context("uncompact", arguments.revision)
        return marking.tell("uncompact", undone, context)
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
        "compact", arguments.revision, recent=recent, crossing=crossing
    )
    return marking.tell("compact", version, context)
