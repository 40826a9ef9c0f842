"""`fsck`: check the store, or one version's conversation; with --repair repair what is possible."""

from __future__ import annotations

from gitsession.cli.combined import exclusive
from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from gitsession.cli.context import Context
    from gitsession.model.report import Problem
    from gitsession.repository import Repository

ABOUT = """
Checks git's objects and refs, the store's own files, and the format, the counts and the
parents of every version. Names what is damaged and the last good version before it.
--findings also scans everything for secrets with today's rules.

--session checks the conversation of one version instead: damaged records, links to missing
parents, broken characters, tool calls without a result, duplicate ids and, in a LobeChat
topic, messages that its tree hides; each with the last version before the problem.

Changes nothing without --repair. With it, damaged data is moved to gitsession/damaged in
the store, byte for byte; files that can be recreated are recreated; objects that an
agent's own file still contains are written again; what remains lost is left out, so that a
branch continues from its last good version. With --session, a version is added in which
messages have the correct parent. Existing versions are never edited.
"""
EXAMPLES = (
    ("gitsession fsck", "checks the whole store"),
    ("gitsession fsck --findings", "also looks for secrets that older rules missed"),
    ("gitsession fsck --repair", "repairs what can be repaired"),
    ("gitsession fsck --session HEAD~2", "checks one conversation as of two turns ago"),
)
EXITS = (2, 10, 11, 12, 13, 17)
EXIT_MEANINGS = {0: "no problems, or all repaired", 1: "problems were found"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--session", metavar="REV", nargs="?", const="HEAD", default="",
        help="check the conversation of one version (default HEAD)",
    )  # fmt: skip
    parser.add_argument(
        "--findings", "--full", dest="findings", action="store_true",
        help="also scan everything for secrets",
    )  # fmt: skip
    parser.add_argument("--repair", action="store_true", help="repair what can be repaired")


def run(arguments: argparse.Namespace, context: Context) -> int:
    exclusive({"--session": arguments.session, "--findings": arguments.findings})
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
    """Return what to check after a repair: the branch, which has a newer version now."""
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
