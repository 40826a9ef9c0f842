"""`branch`: list, create, rename and delete branches."""

from __future__ import annotations

import time

from gitsession.cli import at_operation
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.repository import Repository

ABOUT = """
Without a name, lists the branches of the current session; with -l, those of all sessions
and what was fetched from remotes. With a name, creates a branch at REV (default HEAD)
without switching to it; REV:N forks after message N of that version. A branch takes
almost no space: what two branches have in common is stored once.
"""
EXAMPLES = (
    ("gitsession branch", "lists them; * marks the current branch"),
    ("gitsession branch try-cookies HEAD~2", "creates a branch two turns back"),
    ("gitsession branch -m try-cookies cookies", "renames it"),
    ("gitsession branch -d cookies", "deletes it; undo brings it back"),
)
EXITS = (10, 11, 12, 13, 14, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="the new branch")
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="where it starts (default HEAD)"
    )
    parser.add_argument(
        "-l",
        "--list",
        dest="everything",
        action="store_true",
        help="list the branches of all sessions and remotes",
    )
    parser.add_argument("-d", dest="delete", metavar="NAME", default="", help="delete a branch")
    parser.add_argument(
        "-m", dest="move", metavar=("OLD", "NEW"), nargs=2, default=None, help="rename a branch"
    )
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    wanted = (arguments.name, arguments.everything, arguments.delete, arguments.move)
    if sum(map(bool, wanted)) > 1:
        raise UsageError("one thing at a time", hint="gitsession branch --help")
    repository = context.repository()
    if arguments.delete:
        repository.delete_branch(arguments.delete)
        said = f"Deleted branch {arguments.delete}; `gitsession undo` brings it back"
        return _said(context, said, branch=arguments.delete)
    if arguments.move:
        old, new = arguments.move
        name = repository.rename_branch(old, new)
        return _said(context, f"Branch {old} is now {name}", branch=name)
    if arguments.name:
        return create(arguments.name, arguments.revision, context, move=False)
    return _list(repository, arguments.everything, context)


def create(name: str, revision: str, context: Context, *, move: bool) -> int:
    """Create a branch and report it: the work of `branch NAME` and of `fork`."""
    made = context.repository().create_branch(name, revision, move=move)
    return _said(context, f"{'On' if move else 'Made'} branch {made}", branch=made)


def _said(context: Context, sentence: str, **members: object) -> int:
    if context.as_json:
        context.answer("branch", **members)
    else:
        context.line(sentence)
    return 0


def _list(repository: Repository, everything: bool, context: Context) -> int:
    head = repository.head()
    session = "" if everything else head.partition("/")[0]
    rows = repository.branches(session, remotes=everything)
    if context.as_json:
        context.answer("branches", head=head, branches=rows)
        return 0
    from gitsession.render import listing

    now, palette = int(time.time()), context.palette
    width = context.terminal.width if context.terminal.is_terminal else 0
    context.page(listing.branches(rows, now, head=head, palette=palette, width=width))
    return 0
