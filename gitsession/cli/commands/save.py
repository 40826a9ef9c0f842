"""`save`: what is new, one version per finished turn."""

from __future__ import annotations

import sys

from gitsession.cli.plain import HIDDEN
from gitsession.errors import SourceUnreadable, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Saves this directory's newest session, the named ones, or with --all everything found
on this machine. Secrets are taken out before the first byte is written. Nothing new
is no error. A save that was interrupted goes on where it stopped.
"""
EXAMPLES = (
    ("gitsession save", "saves the newest session of this directory"),
    ("gitsession save -m 'login works'", "the same; the newest version gets that subject"),
    ("gitsession save --all", "saves every session of every agent, with progress"),
    ("gitsession save --dry-run", "says what would be written and masked"),
)
EXITS = (10, 11, 12, 14, 16, 17)
EXIT_MEANINGS = {0: "saved, or nothing to save; with --all: anything could be read"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sessions", metavar="SESSION", nargs="*", help="a row (@1), a name, or a native id"
    )
    parser.add_argument(
        "-m", "--message", metavar="MSG", default="", help="the subject of the newest version"
    )
    parser.add_argument("--agent", metavar="AGENT", default="", help="only sessions of this agent")
    parser.add_argument("--all", action="store_true", help="everything found on this machine")
    parser.add_argument(
        "--auto", action="store_true", help="as a hook does: silent, a turn in work goes to wip"
    )
    parser.add_argument(
        "--single", action="store_true", help="one version instead of one per finished turn"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument(
        "--scan-project", action="store_true",
        help="keep along how many Python files and assets the project has",
    )  # fmt: skip
    # The line that `hooks install` writes: the agent's word about the session comes on stdin.
    parser.add_argument("--hook", metavar="AGENT", default="", help=HIDDEN)
    # One of the processes that a save of much starts: it is told on stdin what to save.
    parser.add_argument("--helper", action="store_true", help=HIDDEN)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.hook:
        from gitsession.cli.hook import run_hook

        return run_hook(arguments.hook, context)
    if arguments.helper:
        answers, sys.stdout = sys.stdout.buffer, sys.stderr  # nobody else may speak there
        context.repository().serve_saves(sys.stdin.buffer, answers)
        return 0
    from gitsession.cli.saving import each, tell

    if arguments.all and arguments.sessions:
        raise UsageError("--all and named sessions exclude each other", hint="leave one out")
    if arguments.all and arguments.message:
        raise UsageError("-m names one version; --all saves many", hint="leave -m out")
    with context.terminal.progress() as progress:
        dry = arguments.dry_run  # of what a first save would write, no store is made
        repository = context.repository(
            create=not dry, missing=dry, worth=lambda: _look(arguments, context)
        )
        report = repository.save(
            tuple(arguments.sessions),
            agent=arguments.agent,
            message=arguments.message,
            everything=arguments.all,
            auto=arguments.auto,
            single=arguments.single,
            dry_run=dry,
            scan=arguments.scan_project,
            progress=each(progress),
        )
    if arguments.all and not report.sessions:
        raise _nothing()
    return tell(report, context, named=not arguments.all, quiet=arguments.auto)


def _look(arguments: argparse.Namespace, context: Context) -> None:
    """Says so where there is nothing to save."""
    from gitsession.operations.saving.sources import find_sources

    names = tuple(arguments.sessions)
    if not find_sources(context.environment, names, arguments.agent, arguments.all):
        raise _nothing()


def _nothing() -> SourceUnreadable:
    return SourceUnreadable(
        "no agent session was found on this machine",
        hint="gitsession agents says where they are looked for",
    )
