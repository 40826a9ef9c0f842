"""`watch`: saves what changes, for agents that call no hook."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import Saved

ABOUT = """
Looks at the folders of the named agents, or of every agent that is not hooked, and
saves each session that has changed and is quiet: finished turns as versions, a turn
in work as work in progress. It runs until it is interrupted. With the extra [watch]
it is woken by the file system, without it by the clock.
"""
EXAMPLES = (
    ("gitsession watch", "saves by itself until Ctrl-C"),
    ("gitsession watch codex --interval 10", "only Codex, a look every ten seconds"),
    ("gitsession watch --once", "one look, for a timer of your own"),
)
EXITS = (10, 12, 17)
EXIT_MEANINGS = {0: "it was interrupted, or had looked once"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", metavar="AGENT", nargs="*", help="only these agents")
    parser.add_argument(
        "--interval", metavar="SECONDS", type=float, default=2.0, help="between two looks (2)"
    )
    parser.add_argument("--once", action="store_true", help="look once, then end")


def run(arguments: argparse.Namespace, context: Context) -> int:
    repository = context.repository(create=True)
    interval = max(0.1, arguments.interval)
    try:
        for saved in repository.watch(arguments.agents, interval=interval, once=arguments.once):
            _tell(saved, context)
    except KeyboardInterrupt:
        return 0  # the way in which a watch ends
    return 0


def _tell(saved: Saved, context: Context) -> None:
    if saved.outcome == "nothing":
        return
    if context.as_json:
        context.answer("watch", saved=saved)
    else:
        said = saved.error or f"{len(saved.versions)} new" if saved.versions else saved.error
        context.line(f"{saved.agent} {saved.native_id}: {saved.outcome}  {said}".rstrip())
    context.terminal.stdout.flush()
