"""`push`: send sessions to a remote, after showing what goes where."""

from __future__ import annotations

from gitsession.cli.exit_codes import CONFLICT, SECRETS
from gitsession.errors import Conflict, UsageError
from gitsession.render import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import PushPlan
    from gitsession.repository import Repository

ABOUT = """
Without a SESSION, pushes the session of this directory. Everything that the remote does not
have yet is scanned once more with today's rules; a finding stops the push and is reported
with its version, place and rule, never its value. The first push to a remote shows the real
URL and the sessions, paths and author that would be sent, and asks.

What was pushed cannot be taken back. A push that is not a fast-forward is reported and
changes nothing; nothing is ever forced. After a `scrub`, --scrubbed replaces the rewritten
versions on the remote, but only where it still has what it had before.
"""
EXAMPLES = (
    ("gitsession push", "pushes the current session to the only remote"),
    ("gitsession push origin @1 @2", "pushes two sessions of the last list"),
    ("gitsession push --project --dry-run", "shows what pushing this project would send"),
    ("gitsession push --delete fix-login-3fa9", "deletes a session on the remote"),
)
EXITS = (10, 11, 12, 13, 14, 15, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "remote",
        metavar="REMOTE",
        nargs="?",
        default="",
        help="default: the only remote, or origin",
    )
    parser.add_argument(
        "sessions", metavar="SESSION", nargs="*", help="rows (@1), names, slugs or native ids"
    )
    parser.add_argument("--project", action="store_true", help="every session of this project")
    parser.add_argument("--all", action="store_true", help="every session of the store")
    parser.add_argument(
        "--delete", metavar="SESSION", default="", help="delete a session on the remote"
    )
    parser.add_argument(
        "--as", dest="name", metavar="NAME", default="", help="name of the session on the remote"
    )
    parser.add_argument(
        "--allow", metavar="PLACEHOLDER", action="append", default=[],
        help="send this finding anyway (this is recorded)",
    )  # fmt: skip
    parser.add_argument(
        "--allow-code-remote", action="store_true",
        help="allow the code's own remote: push to a hidden namespace there",
    )  # fmt: skip
    parser.add_argument(
        "--audit",
        action="store_true",
        help="also scan with all of detect-secrets, and betterleaks",
    )
    parser.add_argument(
        "--scrubbed", action="store_true",
        help="replace what scrub rewrote, if the remote is unchanged since",
    )  # fmt: skip
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="show what would be sent")


def run(arguments: argparse.Namespace, context: Context) -> int:
    repository = context.repository()
    remote, sessions = _destination(repository, arguments)
    plan = repository.plan_push(
        remote,
        sessions,
        project=arguments.project,
        everything=arguments.all,
        delete=arguments.delete,
        name=arguments.name,
        allow=tuple(arguments.allow),
        allow_code_remote=arguments.allow_code_remote,
        scrubbed=arguments.scrubbed,
        audit=arguments.audit,
    )
    return _send(repository, plan, arguments, context)


def _destination(
    repository: Repository, arguments: argparse.Namespace
) -> tuple[str, tuple[str, ...]]:
    """Return the remote ("" for the default one) and the sessions. The first word may be either: if
    it is a remote's name, it means the remote."""
    if sum((arguments.project, arguments.all, bool(arguments.sessions or arguments.delete))) > 1:
        raise UsageError("name sessions, or --project, or --all", hint="gitsession push --help")
    sessions = tuple(arguments.sessions)
    alone = arguments.project or arguments.all or arguments.delete
    if not arguments.remote or alone or arguments.remote in dict(repository.remotes()):
        return arguments.remote, sessions
    return "", (arguments.remote, *sessions)


def _send(
    repository: Repository, plan: PushPlan, arguments: argparse.Namespace, context: Context
) -> int:
    from gitsession.cli.commands.fetch import tell

    refused = bool(plan.problems or plan.findings)
    if arguments.dry_run:
        _show(plan, context)
        return 0 if not refused else CONFLICT if plan.problems else SECRETS
    if not refused and (plan.first or arguments.delete):
        _ask(plan, arguments, context)
    done = repository.push(plan, allow=tuple(arguments.allow))  # raises if anything blocks it
    return tell(done, "push", context)


def _ask(plan: PushPlan, arguments: argparse.Namespace, context: Context) -> None:
    """Show what would leave this machine and where it would go; then ask."""
    if not context.as_json:
        _show(plan, context)
    what = f"Delete {arguments.delete} on" if arguments.delete else "Push to"
    question = safe.line(f"{what} {plan.url}?")
    if not arguments.yes and not context.terminal.confirm(question):
        raise Conflict("nothing was pushed")


def _show(plan: PushPlan, context: Context) -> None:
    if context.as_json:
        context.answer("push-plan", plan=plan)
        return
    from gitsession.render import sharing

    context.print(sharing.plan(plan, palette=context.palette, width=context.terminal.width))
