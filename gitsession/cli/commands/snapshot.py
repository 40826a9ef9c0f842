"""`snapshot`: print what a model should know to continue a session."""

from __future__ import annotations

from gitsession.cli import at_operation
from gitsession.cli.plain import HIDDEN, count
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Prints the essence of a session as XML, to put at the start of a new one: the last prompts,
open tasks, rules, decisions, errors, files, git commands and more, each with the number of
its message, and searches that find the rest. It never takes more than --budget bytes; if
space is short, the newest items of the most important sections stay. The same version
always gives the same text. Quoted text is escaped and cannot end its element.
"""
EXAMPLES = (
    ("gitsession snapshot", "prints a snapshot of the current session"),
    ("gitsession snapshot @2 --budget 2000", "prints a shorter one of another session"),
    ("gitsession snapshot --state", "prints role, decisions and skills in at most 500 tokens"),
)
EXITS = (10, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD",
        help="a version (default HEAD); with REV:N, up to message N",
    )  # fmt: skip
    parser.add_argument(
        "--budget", metavar="BYTES", type=count, default=0,
        help="size limit (default: snapshot.budget, 4096; at least 256)",
    )  # fmt: skip
    parser.add_argument("--state", action="store_true", help="only what must survive a compaction")
    at_operation.configure(parser)
    # For the entry that `hooks install --snapshot` writes: the agent says on stdin what starts.
    parser.add_argument("--hook", metavar="AGENT", default="", help=HIDDEN)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.hook:
        from gitsession.cli.start_hook import run_start_hook

        return run_start_hook(arguments.hook, context)
    if arguments.budget < 0:
        raise UsageError("--budget takes a number of bytes")
    if arguments.budget and arguments.state:
        raise UsageError("--state has a budget of its own: 500 tokens")
    repository = context.repository()
    if arguments.state:
        text = repository.state_block(arguments.revision)
    else:
        text = repository.snapshot(arguments.revision, budget=arguments.budget)
    if context.as_json:
        kind = "state" if arguments.state else "snapshot"
        context.answer("snapshot", kind=kind, bytes=len(text.encode()), text=text)
    else:
        context.terminal.write(text)  # made of safe lines
    return 0
