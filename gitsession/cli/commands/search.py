"""`search`: find messages across sessions."""

from __future__ import annotations

import time

from gitsession.cli.combined import exclusive
from gitsession.cli.exit_codes import NEGATIVE
from gitsession.cli.plain import count
from gitsession.errors import UsageError
from gitsession.model.search import ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.search import SearchAnswer

ABOUT = """
Finds the messages of this project's sessions that contain every word, in what was said, in
tool calls and in their results. Inflected forms match, and so do parts of words from three
characters on; a word that occurs nowhere is tried with a few letters changed. A TEXT with
spaces is a phrase. The best and newest hits come first.

The first search builds an index of what is stored in your cache folder; later searches add
what is new. Queries are never recorded.
"""
EXAMPLES = (
    ("gitsession search refresh token", "finds messages with both words"),
    ('gitsession search "refresh token" --all', "finds the phrase, in every project"),
    (
        "gitsession search migrate --role user --since 2w",
        "searches your prompts of the last two weeks",
    ),
    ("gitsession search EACCES --exact --tool Bash", "finds exactly this in what one tool printed"),
)
EXITS = (10, 12, 17)
EXIT_MEANINGS = {0: "something was found", 1: "nothing was found"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("texts", metavar="TEXT", nargs="+", help="a word, or a phrase in quotes")
    parser.add_argument("--all", action="store_true", help="search the sessions of every project")
    parser.add_argument("--project", metavar="DIR", default="", help="search the project in DIR")
    parser.add_argument("--session", metavar="SESSION", default="", help="search only one session")
    parser.add_argument("--agent", metavar="AGENT", default="", help="only sessions of this agent")
    parser.add_argument(
        "--role", metavar="ROLE", choices=ROLES, default="",
        help="only messages of user, assistant, note, system or tool",
    )  # fmt: skip
    parser.add_argument(
        "--tool", metavar="NAME", default="", help="only calls of this tool and their results"
    )
    parser.add_argument(
        "--since", metavar="T", default="", help="since 2026-01-31, or 12h, 3d, 2w ago"
    )
    parser.add_argument("--until", metavar="T", default="", help="until then")
    parser.add_argument("--exact", action="store_true", help="match case-sensitively and literally")
    parser.add_argument(
        "--limit", metavar="N", type=count, default=20, help="at most N hits (default 20; 0: all)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.moments import moment
    from gitsession.render import safe

    exclusive({"--all": arguments.all, "--project": arguments.project,
               "--session": arguments.session})  # fmt: skip
    now = time.time()
    since, until = moment(arguments.since, now), moment(arguments.until, now, end=True)
    if since and until and since > until:
        raise UsageError("--since is later than --until", hint="no time lies between them")
    with context.terminal.progress() as progress:
        answer = context.repository().search(
            *arguments.texts,
            everything=arguments.all,
            project=str(context.path(arguments.project)) if arguments.project else "",
            session=arguments.session,
            agent=arguments.agent,
            role=arguments.role,
            tool=arguments.tool,
            since=since,
            until=until,
            exact=arguments.exact,
            limit=arguments.limit,
            progress=lambda done, total, what: progress(done, total, safe.short(what, 60)),
        )
    if arguments.project and not answer.sessions:
        context.folder(arguments.project)  # raises if there is no such folder
    if context.as_json:
        context.answer("search", answer=answer)
    else:
        _tell(answer, arguments, context, int(now))
    return 0 if answer.hits else NEGATIVE


def _tell(answer: SearchAnswer, arguments: argparse.Namespace, context: Context, now: int) -> None:
    from gitsession.render import search as render

    for line in (*render.corrections(answer.corrected), *answer.notes):
        context.terminal.warn(f"note: {line}")
    if answer.hits:
        context.page(
            render.answer(answer, now, palette=context.palette, width=context.terminal.width)
        )
        return
    context.line(f"Nothing found in {answer.sessions:,} sessions." if answer.sessions != 1
                 else "Nothing found in 1 session.")  # fmt: skip
    if any(" " in text for text in arguments.texts) and not arguments.exact:
        context.line("A text with spaces is a phrase; without quotes, each word is searched for.")
    elif not (arguments.all or arguments.session):
        context.line("In every project: gitsession search --all")
