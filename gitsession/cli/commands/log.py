"""`log`: list versions, newest first, from commits alone."""

from __future__ import annotations

import time

from gitsession.cli import at_operation
from gitsession.cli.plain import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from gitsession.cli.context import Context
    from gitsession.model.history import Version

ABOUT = """
A version is one finished turn. REV is a branch, a session, a tag, an id, a row (@1), HEAD~n
or a range A..B; the default is HEAD. Prints fifty versions per page. --grep looks in
subjects.
"""
EXAMPLES = (
    ("gitsession log", "lists the versions of the current branch"),
    ("gitsession log --graph --oneline", "draws forks and rewinds as lines"),
    ("gitsession log @2 -n 5 --stat", "the five newest of another session, with sizes"),
    ("gitsession log main..try-cookies", "what is on one branch and not on the other"),
)
EXITS = (10, 12, 17)
PAGE = 50


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("revision", metavar="REV", nargs="?", default="HEAD", help="where to start")
    parser.add_argument("--oneline", action="store_true", help="one line per version")
    parser.add_argument("--graph", action="store_true", help="draw all branches of the session")
    parser.add_argument("--stat", action="store_true", help="show messages, bytes and tokens")
    parser.add_argument(
        "-n", "--limit", metavar="N", type=count, default=PAGE,
        help=f"at most N (default {PAGE}; 0: all)",
    )  # fmt: skip
    parser.add_argument("--skip", metavar="N", type=count, default=0, help="skip the newest N")
    parser.add_argument("--grep", metavar="T", default="", help="only subjects that contain T")
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    limit = max(arguments.limit, 0)
    # One more than shown: is there another page?
    versions = _versions(arguments, limit + 1 if limit else 0, context)
    more = 0 < limit < len(versions)
    beyond = versions[limit:] if more else []
    versions = versions[: limit or None]
    if context.as_json:
        _answer(versions, more, context)
        return 0
    _draw(versions, beyond, arguments, context)
    if more:
        from gitsession.render import safe

        context.line()
        context.print([safe.line(f"Older versions: {_next_page(arguments, context)}")])
    return 0


def _next_page(arguments: argparse.Namespace, context: Context) -> str:
    words = [context.environment.program, "log"]
    if arguments.revision != "HEAD":
        words.append(arguments.revision)
    words += [f"--{name}" for name in ("oneline", "graph", "stat") if getattr(arguments, name)]
    if arguments.grep:
        import shlex

        words.append(f"--grep {shlex.quote(arguments.grep)}")
    if arguments.limit != PAGE:
        words.append(f"-n {arguments.limit}")
    if arguments.at_op:
        words.append(f"--at-op {arguments.at_op}")
    return " ".join([*words, f"--skip {max(arguments.skip, 0) + arguments.limit}"])


def _versions(arguments: argparse.Namespace, limit: int, context: Context) -> Sequence[Version]:
    return context.repository().log(
        arguments.revision,
        limit=limit,
        skip=max(arguments.skip, 0),
        grep=arguments.grep,
        graph=arguments.graph,
    )


def _answer(versions: Sequence[Version], more: bool, context: Context) -> None:
    repository = context.repository()
    refs = repository.graph_refs(versions)
    context.answer("log", head=repository.head(), refs=refs, more=more, versions=versions)


def _draw(
    versions: Sequence[Version],
    beyond: Sequence[Version],
    arguments: argparse.Namespace,
    context: Context,
) -> None:
    from gitsession.render import log

    repository = context.repository()
    head = repository.head()
    style = log.Style(
        int(time.time()),
        palette=context.palette,
        refs=repository.graph_refs(versions),
        head=head,
        session=_only_session(versions, head),
        graph=arguments.graph,
        stat=arguments.stat,
        width=context.terminal.width if context.terminal.is_terminal else 0,
        beyond=beyond,
    )
    context.page((log.oneline if arguments.oneline else log.full)(versions, style))


def _only_session(versions: Sequence[Version], head: str) -> str:
    """Return the session name that need not be shown: HEAD's, if all versions have one session."""
    identities = {version.trailers.get("Session") for version in versions}
    return head.partition("/")[0] if len(identities) == 1 else ""
