"""`gc`: packs, drops what nothing needs, and thins the versions that it is asked to thin."""

from __future__ import annotations

from gitsession.cli.plain import count
from gitsession.errors import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.care import GcPlan

ABOUT = """
Without --keep-…, packs everything, releases what undo and finished turns still held, and
drops objects that nothing needs. No version goes.

With --keep-…, versions that no rule keeps are left out of their branches: the newest N,
the newest of each of the last N days or weeks that have one. Rules add up. Tips of
branches, tags, forks, and what a remote is known to have always stay; --pushed lets the
last of these go too. A version that stays holds the same conversation as before; it gets
a new id where something before it went, and its old id still finds it.

Nothing is ever thinned by itself. What goes cannot be brought back, and operations before
a gc cannot be undone, so it asks; --dry-run shows what goes and why the others stay.
"""
EXAMPLES = (
    ("gitsession gc --dry-run", "what would be released, and how much room it frees"),
    ("gitsession gc", "packs and drops; no version goes"),
    ("gitsession gc --keep-daily 7 --keep-weekly 8 --dry-run", "which versions would go"),
    ("gitsession gc --keep-last 20 --yes", "the newest twenty of each branch, without asking"),
)
EXITS = (2, 10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    for name, what in (
        ("last", "keep the newest N versions of each branch"),
        ("daily", "keep the newest of each of the last N days"),
        ("weekly", "keep the newest of each of the last N weeks"),
    ):
        parser.add_argument(f"--keep-{name}", metavar="N", type=count, default=0, help=what)
    parser.add_argument(
        "--keep-tagged", action="store_true", help="keep only tags, tips and forks, and these rules"
    )
    parser.add_argument(
        "--pushed", action="store_true", help="thin what a remote is known to have, too"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would go, change nothing")
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
