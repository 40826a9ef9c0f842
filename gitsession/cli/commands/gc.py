"""`gc`: pack the store, drop what nothing needs, and thin versions if asked to."""

from __future__ import annotations

from gitsession.cli.plain import ordinal
from gitsession.errors import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.care import GcPlan

ABOUT = """
Without --keep-…, packs the store, releases what was kept for undo and for finished turns,
and drops unreachable objects. No version is removed.

With --keep-…, versions that no rule keeps are removed from their branches. The rules add
up. Branch tips, tags, fork points and what a remote is known to have always stay; --pushed
also removes the latter. Versions that stay keep their content but get a new id if an
earlier version was removed; the old id still works.

Nothing is ever thinned unless you ask for it. Removed versions cannot be brought back, and
earlier operations can no longer be undone, so gc asks first. --dry-run shows what would be
removed and why the other versions stay.
"""
EXAMPLES = (
    ("gitsession gc --dry-run", "shows what would be dropped and how much space that frees"),
    ("gitsession gc", "packs the store; removes no version"),
    (
        "gitsession gc --keep-daily 7 --keep-weekly 8 --dry-run",
        "shows which versions would be removed",
    ),
    (
        "gitsession gc --keep-last 20 --yes",
        "keeps the newest twenty of each branch, without asking",
    ),
)
EXITS = (2, 10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    for name, what in (
        ("last", "keep the newest N versions of each branch"),
        ("daily", "keep the newest version of each of the last N days"),
        ("weekly", "keep the newest version of each of the last N weeks"),
    ):
        parser.add_argument(f"--keep-{name}", metavar="N", type=ordinal, default=0, help=what)
    parser.add_argument(
        "--keep-tagged",
        action="store_true",
        help="keep tips, tags and forks, and what other rules keep",
    )
    parser.add_argument(
        "--pushed", action="store_true", help="also remove what a remote is known to have"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be removed, change nothing"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.model.care import Keep

    keep = Keep(
        arguments.keep_last, arguments.keep_daily, arguments.keep_weekly, arguments.keep_tagged
    )
    repository = context.repository()
    plan = repository.plan_gc(keep, pushed=arguments.pushed)
    if arguments.dry_run:
        _show_plan(plan, context)
        return 0
    if plan.loses and not arguments.yes:
        if not context.as_json:
            _show_plan(plan, context, brief=True)
        if not context.terminal.confirm("Drop these for good?"):
            raise Conflict("nothing was changed")
    done = repository.gc(keep, pushed=arguments.pushed)
    if context.as_json:
        context.answer("gc", done=done)
        return 0
    from gitsession.render import care

    context.print(care.done(done, palette=context.palette))
    return 0


def _show_plan(plan: GcPlan, context: Context, brief: bool = False) -> None:
    if context.as_json:
        context.answer("gc-plan", plan=plan, going=len(plan.going))
        return
    from gitsession.render import care

    width = context.terminal.width if context.terminal.is_terminal else 0
    lines = care.plan(plan, palette=context.palette, width=width, brief=brief)
    if brief:
        context.print(lines)
    else:
        context.page(lines)
