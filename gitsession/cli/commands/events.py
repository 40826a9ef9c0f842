"""`events`: list what happened in a session, one fact per line."""

from __future__ import annotations

import time

from gitsession.cli import at_operation
from gitsession.cli.plain import count
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.event_list import EventList

ABOUT = """
Lists prompts and decisions, files read and changed, git commands, errors, rules and tasks.
Events are derived from the messages of a version, for every agent in the same way, and the
same version always gives the same events. Newest first, each with the number of its message.

An event that repeats within five events is listed once, and of very many events only the
thousand most important (priority 1 is the highest). --all lists every one.
"""
EXAMPLES = (
    ("gitsession events", "the newest fifty events of the current session"),
    ("gitsession events @2 --category decision", "the decisions of another session"),
    ("gitsession events --priority 1 --since 2d", "the most important events of the last two days"),
    ("gitsession events --all --limit 0 --json", "every event with all its fields"),
)
EXITS = (10, 12, 17)
PAGE = 50
LEAST_IMPORTANT = 4


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD",
        help="a version (default HEAD); with REV:N, up to message N",
    )  # fmt: skip
    parser.add_argument(
        "--stream",
        metavar="STREAM",
        default="",
        help="only the events of one subagent: subagents/ID",
    )
    parser.add_argument("--type", metavar="T", default="", help="only this type: file_edit …")
    parser.add_argument(
        "--category", metavar="C", default="", help="only this group of types: file, git …"
    )
    parser.add_argument(
        "--priority", metavar="N", type=count, default=0,
        help="only priority 1 (highest) to N (at most 4)",
    )  # fmt: skip
    parser.add_argument(
        "--since", metavar="T", default="", help="since 2026-01-31, or 12h, 3d, 2w ago"
    )
    parser.add_argument("--all", action="store_true", help="include repeats and unimportant events")
    parser.add_argument(
        "-n", "--limit", metavar="N", type=count, default=PAGE,
        help=f"only the newest N (default {PAGE}; 0: all)",
    )  # fmt: skip
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    found = _found(arguments, context)
    if context.as_json:
        _answer(found, context)
        return 0
    from gitsession.render import events as render

    if found.events:
        context.page(render.events(found, palette=context.palette, width=context.terminal.width))
    else:
        context.line(render.nothing(found))
    return 0


def _found(arguments: argparse.Namespace, context: Context) -> EventList:
    from gitsession.cli.moments import moment

    if not 0 <= arguments.priority <= LEAST_IMPORTANT:
        raise UsageError(f"--priority takes a number from 1 to {LEAST_IMPORTANT}")
    return context.repository().event_list(
        arguments.revision,
        types=(arguments.type,) if arguments.type else (),
        categories=(arguments.category,) if arguments.category else (),
        priority=arguments.priority,
        since=moment(arguments.since, time.time()),
        everything=arguments.all,
        limit=arguments.limit,
        stream=arguments.stream,
    )


def _answer(found: EventList, context: Context) -> None:
    """Print the events as JSON in the same order as on a terminal: newest first."""
    context.answer(
        "events",
        session=found.session,
        agent=found.agent,
        native_id=found.native_id,
        version=found.version,
        project=found.project,
        started=found.started,
        last=found.last,
        count=found.count,
        types=found.types,
        compactions=found.compactions,
        total=found.total,
        more=len(found.events) < found.total,
        events=found.events[::-1],
    )
