"""`save`: save what is new, one version per finished turn."""

from __future__ import annotations

import sys

from gitsession.cli.plain import HIDDEN
from gitsession.errors import SourceUnreadable, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Saves the newest session of this directory, the named sessions or, with --all, every session
found on this machine. Secrets are masked before the first byte is written. If nothing is
new, nothing happens. An interrupted save continues where it stopped.
"""
EXAMPLES = (
    ("gitsession save", "saves the newest session of this directory"),
    ("gitsession save -m 'login works'", "the same, with a subject for the newest version"),
    ("gitsession save --all", "saves every session of every agent, with progress"),
    ("gitsession save --dry-run", "shows what would be written and masked"),
)
EXITS = (10, 11, 12, 14, 16, 17)
EXIT_MEANINGS = {0: "saved, or nothing to save; with --all: at least one session could be read"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sessions", metavar="SESSION", nargs="*", help="a row (@1), a name, or a native id"
    )
    parser.add_argument(
        "-m", "--message", metavar="MSG", default="", help="the subject of the newest version"
    )
    parser.add_argument("--agent", metavar="AGENT", default="", help="only sessions of this agent")
    parser.add_argument("--all", action="store_true", help="every session found on this machine")
    parser.add_argument(
        "--auto",
        action="store_true",
        help="save as a hook does: silently, unfinished turns as work in progress",
    )
    parser.add_argument(
        "--single", action="store_true", help="one version instead of one per finished turn"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument(
        "--scan-project", action="store_true",
        help="also record how many Python files and assets the project has",
    )  # fmt: skip
    # For the entry that `hooks install` writes: the agent describes the session on stdin.
    parser.add_argument("--hook", metavar="AGENT", default="", help=HIDDEN)
    # For the processes that a large save starts: they are told on stdin what to save.
    parser.add_argument("--helper", action="store_true", help=HIDDEN)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.hook:
        from gitsession.cli.hook import run_hook

        return run_hook(arguments.hook, context)
    if arguments.helper:
        answers, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing else may write there
        context.repository().serve_saves(sys.stdin.buffer, answers)
        return 0
    from gitsession.cli.saving import each, tell

    if arguments.all and arguments.sessions:
        raise UsageError("--all and named sessions exclude each other", hint="leave one out")
    if arguments.all and arguments.message:
        raise UsageError("-m names one version; --all saves many", hint="leave -m out")
    with context.terminal.progress() as progress:
        dry = arguments.dry_run  # a dry run before the first save creates no store
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
    """Raises an error if there is nothing to save."""
    from gitsession.operations.saving.sources import find_sources

    names = tuple(arguments.sessions)
    if not find_sources(context.environment, names, arguments.agent, arguments.all):
        raise _nothing()


def _nothing() -> SourceUnreadable:
    return SourceUnreadable(
        "no agent session was found on this machine",
        hint="`gitsession agents` shows where gitsession looks for them",
    )
