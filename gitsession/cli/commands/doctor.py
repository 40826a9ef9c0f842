"""`doctor`: check everything around the store: git, libraries, hooks, permissions, agents."""

from __future__ import annotations

from gitsession.cli.exit_codes import NEGATIVE
from gitsession.environment import say_nothing
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Prints one line per check: [OK], [WARN] for what you should know, [FAIL] for what does not
work, with the next step. Checks git and the libraries, the hooks of each agent, the file
permissions of the store and the keys, locks left by killed processes, failed saves,
session files that shrank or vanished, when agents will delete sessions and whether those
are saved, free disk space, and what the store knowingly holds that may be secret.

Changes nothing. To check the stored data itself, run `gitsession fsck`.
"""
EXAMPLES = (
    ("gitsession doctor", "runs all checks"),
    ("gitsession doctor --json", "the same, for scripts"),
)
EXITS = (2,)
EXIT_MEANINGS = {0: "nothing failed", 1: "something failed"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: this verb has no arguments of its own."""
    del parser


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.operations.care import doctor

    del arguments
    context.environment.tell = say_nothing  # the checks report it
    store = context.path(context.store) if context.store else None
    checks = doctor.examine(context.environment, store, _program(context))
    failed = any(check.level == "FAIL" for check in checks)
    if context.as_json:
        from dataclasses import replace

        own = [replace(check, hint=context.own(check.hint)) for check in checks]
        context.answer("doctor", checks=own)
    else:
        from gitsession.render import care

        context.print(care.checks(checks, palette=context.palette))
    return NEGATIVE if failed else 0


def _program(context: Context) -> str:
    from gitsession.cli.commands.hooks import program

    try:
        return program(context)
    except UsageError:
        return ""
