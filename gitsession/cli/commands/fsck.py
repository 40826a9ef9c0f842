"""`fsck`: checks the store, or the conversation of one version; with --repair mends what it can."""

from __future__ import annotations

from gitsession.cli.exit_codes import NEGATIVE
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from gitsession.cli.context import Context
    from gitsession.model.report import Problem
    from gitsession.repository import Repository

ABOUT = """
Checks git's objects and refs, the store's own files, the format of every version, its
counts and its place in the chain, and that every string which was cut out is there. Names
the damaged thing and the last good version before it. --findings also scans everything
with today's rules.

--session checks the conversation of one version instead: damaged records, links to a parent
that is not there, half characters, calls without a result, ids that stand twice, and, in a
LobeChat topic, messages that its tree hides; each with the last version before it.

Changes nothing without --repair. With it, what is damaged is moved to gitsession/damaged
in the store, byte for byte; files that can be made again are; objects that an agent's own
file still gives are written again; what stays lost is left out, so that a branch goes on
from its last good version. With --session it adds a version in which messages have the
parent they should have. No version is ever edited.
"""
EXAMPLES = (
    ("gitsession fsck", "checks the whole store"),
    ("gitsession fsck --findings", "and looks for secrets that older rules missed"),
    ("gitsession fsck --repair", "mends what can be mended"),
    ("gitsession fsck --session HEAD~2", "one conversation, as it was two turns ago"),
)
EXITS = (2, 10, 11, 12, 13, 17)
EXIT_MEANINGS = {0: "no problem, or none is left", 1: "problems were found"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--session", metavar="REV", nargs="?", const="HEAD", default="",
        help="check the conversation of one version (default HEAD)",
    )  # fmt: skip
    parser.add_argument(
        "--findings", "--full", dest="findings", action="store_true",
        help="scan everything with today's rules, too",
    )  # fmt: skip
    parser.add_argument("--repair", action="store_true", help="mend what can be mended")


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.session and arguments.findings:
        raise UsageError("--session and --findings exclude each other", hint="leave one out")
    repository = context.repository()
    done = _repaired(arguments, repository) if arguments.repair else ()
    if arguments.session and not arguments.repair:
        problems = tuple(repository.check_session(arguments.session))
    elif arguments.session:
        problems = tuple(repository.check_session(_branch(arguments, repository)))
    elif arguments.findings:
        problems = tuple(repository.fsck(secrets=True))
    else:
        problems = tuple(repository.fsck())
    return _answer(problems, done, context)


def _repaired(arguments: argparse.Namespace, repository: Repository) -> Sequence[str]:
    if not arguments.session:
        return repository.repair()
    made = repository.repair_session(arguments.session)
    return (f"{made.subject}: version {made.id[:12]}; the one before stays as it is",)


def _branch(arguments: argparse.Namespace, repository: Repository) -> str:
    """What is checked after a repair: the branch, which has a newer version now."""
    return repository.resolve(arguments.session).branch or arguments.session


def _answer(problems: Sequence[Problem], done: Sequence[str], context: Context) -> int:
    if context.as_json:
        context.answer("fsck", problems=problems, **({"done": done} if done else {}))
        return NEGATIVE if problems else 0
    from gitsession.render import report

    for text in done:
        context.line(f"{text[:1].upper()}{text[1:]}.")
    context.print(report.problems(problems, palette=context.palette))
    return NEGATIVE if problems else 0
