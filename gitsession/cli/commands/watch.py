"""`watch`: save what changes, for agents that call no hook."""

from __future__ import annotations

from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import Saved

ABOUT = """
Watches the folders of the named agents, or of every agent that is not hooked, and saves
each session that has changed and is quiet: finished turns as versions, an unfinished turn
as work in progress. Runs until it is interrupted. With the extra [watch], the file system
wakes it; without it, a timer does.
"""
EXAMPLES = (
    ("gitsession watch", "saves until you press Ctrl-C"),
    ("gitsession watch codex --interval 10", "watches only Codex, every ten seconds"),
    ("gitsession watch --once", "checks once, for a timer of your own"),
)
EXITS = (10, 12, 17)
EXIT_MEANINGS = {0: "it was interrupted, or --once is done"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", metavar="AGENT", nargs="*", help="only these agents")
    parser.add_argument(
        "--interval",
        metavar="SECONDS",
        type=float,
        default=2.0,
        help="time between two checks (default 2)",
    )
    parser.add_argument("--once", action="store_true", help="check once, then exit")


def run(arguments: argparse.Namespace, context: Context) -> int:
    repository = context.repository(create=True)
    if not arguments.interval > 0:
        raise UsageError("--interval takes a number of seconds above 0")
    interval = max(0.1, arguments.interval)
    try:
        for saved in repository.watch(arguments.agents, interval=interval, once=arguments.once):
            _tell(saved, context)
    except KeyboardInterrupt:
        return 0  # this is how a watch ends
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
