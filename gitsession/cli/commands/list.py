"""`list`: the sessions of this project, or all, from commits and refs alone."""

from __future__ import annotations

import time

from gitsession.cli import at_operation
from gitsession.cli.plain import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Newest first, grouped by day. The number of a row names the session in the next
command: @1. --search looks in titles. Reads no conversation.
"""
EXAMPLES = (
    ("gitsession list", "the sessions of this project"),
    ("gitsession list --all --agent codex --limit 10", "ten sessions of one agent, anywhere"),
    ("gitsession log @2", "the versions of the second row"),
)
EXITS = (10, 12, 17)
_PAGE = 50


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="the sessions of every project")
    parser.add_argument("--project", metavar="DIR", default="", help="those of another project")
    parser.add_argument("--open", action="store_true", help="only those with an unfinished turn")
    parser.add_argument("--archived", action="store_true", help="only those that are archived")
    parser.add_argument("--agent", metavar="AGENT", default="", help="only those of this agent")
    parser.add_argument("--search", metavar="T", default="", help="only titles that contain T")
    parser.add_argument(
        "--limit", metavar="N", type=count, default=-1, help="at most N rows (default 50; 0: all)"
    )
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
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
    more = 0 < limit < len(rows)
    rows = rows[:limit] if limit else rows
    if context.as_json:
        context.answer("list", sessions=rows)
        return 0
    from gitsession.render import listing

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
        ) if rows else listing.no_sessions(arguments.all)
    )  # fmt: skip
    if more:
        context.line()
        context.line(f"Older sessions: {_all_of_them(arguments)}")
    return 0


def _are_archived(arguments: argparse.Namespace, context: Context) -> bool:
    project = str(context.path(arguments.project)) if arguments.project else ""
    return bool(
        context.repository().list(everything=arguments.all, project=project, archived=True, limit=1)
    )


def _all_of_them(arguments: argparse.Namespace) -> str:
    """The same list without a limit."""
    import shlex

    words = ["gitsession", "list"]
    words += [f"--{name}" for name in ("all", "open", "archived") if getattr(arguments, name)]
    for name in ("project", "agent", "search"):
        if value := getattr(arguments, name):
            words.append(f"--{name} {shlex.quote(value)}")
    if arguments.at_op:
        words.append(f"--at-op {arguments.at_op}")
    return " ".join([*words, "--limit 0"])
