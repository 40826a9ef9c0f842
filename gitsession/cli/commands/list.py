"""`list`: list the sessions of this project, or of all, from commits and refs alone."""

from __future__ import annotations

import time

from gitsession.cli import at_operation
from gitsession.cli.plain import count
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Newest first, grouped by day. Use the number of a row to name the session in the next
command: @1. --search looks in titles. Reads no conversations.
"""
EXAMPLES = (
    ("gitsession list", "lists the sessions of this project"),
    (
        "gitsession list --all --agent codex --limit 10",
        "the ten newest of one agent, in all projects",
    ),
    ("gitsession log @2", "shows the versions of the second row"),
)
EXITS = (10, 12, 17)
_PAGE = 50


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="sessions of every project")
    parser.add_argument(
        "--project", metavar="DIR", default="", help="sessions of the project in DIR"
    )
    parser.add_argument("--open", action="store_true", help="only sessions with an unfinished turn")
    parser.add_argument("--archived", action="store_true", help="only archived sessions")
    parser.add_argument("--agent", metavar="AGENT", default="", help="only sessions of this agent")
    parser.add_argument("--search", metavar="T", default="", help="only titles that contain T")
    parser.add_argument(
        "--limit", metavar="N", type=count, default=-1, help="at most N rows (default 50; 0: all)"
    )
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.all and arguments.project:
        raise UsageError("--all and --project exclude each other", hint="leave one out")
    limit = arguments.limit if arguments.limit >= 0 else 0 if context.as_json else _PAGE
    rows = context.repository().list(
        everything=arguments.all,
        project=str(context.path(arguments.project)) if arguments.project else "",
        agent=arguments.agent,
        search=arguments.search,
        limit=limit + 1 if limit else 0,  # one more than shown: are there others?
        archived=arguments.archived,
        open_only=arguments.open,
    )
    if not rows and (arguments.agent or arguments.project):
        _check_names(arguments, context)
    more = 0 < limit < len(rows)
    rows = rows[:limit] if limit else rows
    if context.as_json:
        context.answer("list", sessions=rows)
        return 0
    from gitsession.render import listing, safe

    narrowed = arguments.agent or arguments.search or arguments.archived or arguments.open
    if not rows and narrowed:
        context.line("No session matches.")
        return 0
    if not rows and _are_archived(arguments, context):
        context.line("Every session here is archived.")
        context.line("hint: `gitsession list --archived` shows them")
        return 0
    context.page(
        listing.sessions(
            rows, int(time.time()), palette=context.palette, width=context.terminal.width,
            projects=arguments.all,
        ) if rows else listing.no_sessions(arguments.all, context.palette)
    )  # fmt: skip
    if more:
        context.line()
        context.print([safe.line(f"Older sessions: {_all_of_them(arguments, context)}")])
    return 0


def _check_names(arguments: argparse.Namespace, context: Context) -> None:
    """Raises NotFound for an unknown agent or folder: an empty list would be the wrong answer."""
    if arguments.project:
        context.folder(arguments.project)
    if arguments.agent and not context.repository().list(everything=True, agent=arguments.agent):
        from gitsession.agents import registry

        registry.get(arguments.agent)


def _are_archived(arguments: argparse.Namespace, context: Context) -> bool:
    project = str(context.path(arguments.project)) if arguments.project else ""
    return bool(
        context.repository().list(everything=arguments.all, project=project, archived=True, limit=1)
    )


def _all_of_them(arguments: argparse.Namespace, context: Context) -> str:
    """Return the command for the same list without a limit."""
    import shlex

    words = [context.environment.program, "list"]
    words += [f"--{name}" for name in ("all", "open", "archived") if getattr(arguments, name)]
    for name in ("project", "agent", "search"):
        if value := getattr(arguments, name):
            words.append(f"--{name} {shlex.quote(value)}")
    if arguments.at_op:
        words.append(f"--at-op {arguments.at_op}")
    return " ".join([*words, "--limit 0"])
