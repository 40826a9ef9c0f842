"""`search`: finds messages across sessions."""

from __future__ import annotations

import time

from gitsession.cli.exit_codes import NEGATIVE
from gitsession.cli.plain import count
from gitsession.model.search import ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.search import SearchAnswer

ABOUT = """
Finds the messages that hold every word, in this project's sessions: in what was said,
called and answered. A word is found in any of its forms, and as a part of others from
three characters on; one that stands nowhere is tried with a few letters changed. TEXT
with spaces in it is a phrase. The best and newest come first.

The first search reads what is stored into an index in your cache folder; later ones
read what came since. What you look for is written nowhere.
"""
EXAMPLES = (
    ("gitsession search refresh token", "both words, in one message"),
    ('gitsession search "refresh token" --all', "the phrase, in every project"),
    ("gitsession search migrate --role user --since 2w", "what you asked in the last two weeks"),
    ("gitsession search EACCES --exact --tool Bash", "as written, in what one tool printed"),
)
EXITS = (10, 12, 17)
EXIT_MEANINGS = {0: "something was found", 1: "nothing was found"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("texts", metavar="TEXT", nargs="+", help="a word, or a phrase in quotes")
    parser.add_argument("--all", action="store_true", help="the sessions of every project")
    parser.add_argument("--project", metavar="DIR", default="", help="those of another project")
    parser.add_argument("--session", metavar="SESSION", default="", help="one session alone")
    parser.add_argument("--agent", metavar="AGENT", default="", help="only those of this agent")
    parser.add_argument(
        "--role", metavar="ROLE", choices=ROLES, default="",
        help="only what was said by user, assistant, note or system, or what a tool did",
    )  # fmt: skip
    parser.add_argument("--tool", metavar="NAME", default="", help="only what this tool did")
    parser.add_argument(
        "--since", metavar="T", default="", help="not before 2026-01-31, or 12h, 3d, 2w ago"
    )
    parser.add_argument("--until", metavar="T", default="", help="not after that")
    parser.add_argument(
        "--exact", action="store_true", help="letter by letter, no other form of a word"
    )
    parser.add_argument(
        "--limit", metavar="N", type=count, default=20, help="at most N hits (default 20; 0: all)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.moments import moment
    from gitsession.render import safe

    now = time.time()
    since, until = moment(arguments.since, now), moment(arguments.until, now, end=True)
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
        context.line("A text with spaces is a phrase; without quotes each word is looked for.")
    elif not (arguments.all or arguments.session):
        context.line("Every project: gitsession search --all")
