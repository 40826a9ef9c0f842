"""`doctor`: checks everything around the store: git, libraries, hooks, permissions, agents."""

from __future__ import annotations

from gitsession.cli.exit_codes import NEGATIVE
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
One line for each thing: [OK], [WARN] what you should know, [FAIL] what does not work, each
with the next step. Git and the libraries, the hooks of each agent, who may look into the
store and the keys, locks that killed processes left, saves that failed, session files that
shrank or vanished, when an agent will delete sessions by itself and whether those are
saved, room on the disk, and what the store knowingly holds that may be secret.

Changes nothing. `gitsession fsck` checks what is stored.
"""
EXAMPLES = (
    ("gitsession doctor", "all checks"),
    ("gitsession doctor --json", "the same for a script"),
)
EXITS = (2,)
EXIT_MEANINGS = {0: "nothing failed", 1: "something failed"}


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""
    del parser


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.operations.care import doctor

    del arguments
    store = context.path(context.store) if context.store else None
    checks = doctor.examine(context.environment, store, _program(context))
    failed = any(check.level == "FAIL" for check in checks)
    if context.as_json:
        context.answer("doctor", checks=checks)
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
