"""`hooks`: make agents save by themselves at the end of each turn."""

from __future__ import annotations

import os

from gitsession.environment import find_program
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.operations.hooking.hooks import HookRow

ABOUT = """
Adds one entry to the settings of each named agent, or of every agent on this machine, so
that it calls gitsession when a turn ends. The rest of the settings stays byte for byte the
same, and uninstall restores the old file. The save runs in the background: the agent never
waits for it and never sees it fail; the next `status` and `save` report failures. pause
leaves the entries in place but saves nothing until resume.

With --snapshot, the agent also asks gitsession when a session starts. A session that was
compacted or resumed is then told where it was (see `gitsession snapshot`), and one that is
resumed without a history of its own is given, once, the snapshot of the previous session.
The agent waits a few tenths of a second for that answer. It is off unless you ask for it.
"""
EXAMPLES = (
    ("gitsession hooks install", "hooks every agent on this machine"),
    ("gitsession hooks install claude-code codex", "hooks only these two"),
    ("gitsession hooks install --snapshot claude-code", "also gives it snapshots"),
    ("gitsession hooks", "shows which agents are hooked, and where"),
    ("gitsession hooks pause claude-code", "stops its automatic saves until `hooks resume`"),
)
EXITS = (12, 13, 16, 17)
ACTIONS = ("install", "uninstall", "status", "pause", "resume")
_STATES = {
    "installed": ("ok", "hooked"),
    "partly": ("warning", "partly hooked; `gitsession hooks install` completes it"),
    "absent": ("dim", "not hooked"),
    "none": ("dim", "no settings folder here"),
    "unreadable": ("error", "its settings cannot be read"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", metavar="ACTION", nargs="?", default="status", choices=ACTIONS,
        help="install, uninstall, status, pause or resume",
    )  # fmt: skip
    parser.add_argument("agents", metavar="AGENT", nargs="*", help="only these agents")
    parser.add_argument(
        "--snapshot", metavar="AGENT", nargs="*", default=None,
        help="install: also give sessions a snapshot when they are resumed or compacted; "
        "uninstall: remove only that",
    )  # fmt: skip


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.operations.hooking import hooks

    if arguments.snapshot is not None and arguments.action not in ("install", "uninstall"):
        raise UsageError("--snapshot goes with install or uninstall")
    environment, names = context.environment, tuple(arguments.agents)
    if arguments.action == "install":
        rows = _install(arguments, context)
    elif arguments.action == "uninstall" and arguments.snapshot is not None:
        names += tuple(arguments.snapshot)
        rows = hooks.give_no_snapshot(environment, names, program(context))
    elif arguments.action == "uninstall":
        rows = hooks.uninstall(environment, names)
    elif arguments.action in ("pause", "resume"):
        rows = hooks.pause(environment, names, undo=arguments.action == "resume")
    else:
        rows = hooks.status(environment, names)
    if context.as_json:
        context.answer("hooks", action=arguments.action, hooks=rows)
        return 0
    _print(rows, arguments.action, context)
    return 0


def _install(arguments: argparse.Namespace, context: Context) -> list[HookRow]:
    """Give snapshots to agents after --snapshot; the option alone is for all that are hooked."""
    from gitsession.operations.hooking import hooks

    if context.store:
        raise UsageError(
            "hooks save into the store that a folder is bound to, so --store would not count",
            hint="gitsession init --name NAME binds this project to another store",
        )
    names, asking = tuple(arguments.agents), arguments.snapshot
    environment, line = context.environment, program(context)
    if not asking:
        return hooks.install(environment, names, line, snapshot=None if asking is None else True)
    others = tuple(name for name in names if name not in asking)
    rows = hooks.install(environment, others, line) if others else []
    return rows + hooks.install(environment, tuple(asking), line, snapshot=True)


def program(context: Context) -> str:
    """Return the absolute path of the gitsession that agents shall call: the one that runs now.

    Raises UsageError if none is found, for example when it runs from a folder of modules.
    """
    import sys

    names = ("gitsession", "git-session")
    beside = os.path.join(
        os.path.dirname(sys.executable), "gitsession" + ".exe" * (os.name == "nt")
    )
    called = os.path.abspath(sys.argv[0]) if os.path.basename(sys.argv[0]) in names else ""
    found = find_program("gitsession", context.environment.variables)
    for candidate in (called, beside, found):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise UsageError(
        "the gitsession program was not found, so no agent could call it",
        hint="install it, then run this again",
    )


def _print(rows: list[HookRow], action: str, context: Context) -> None:
    from gitsession.render import safe

    if not rows:
        context.line("No agent is hooked.")
        return
    palette = context.palette
    for row in rows:
        role, sentence = _STATES[row.state]
        sentence += ", gets snapshots" * row.snapshot
        sentence += " (paused: nothing is saved until `gitsession hooks resume`)" * row.paused
        context.print(
            [f"{palette('title', row.agent.ljust(12))} {palette(role, context.own(sentence))}"]
        )
        if row.state not in ("none", "absent"):
            for file in row.files:
                context.print([f"  {palette('dim', safe.short(file, 400))}"])
        if row.note:
            context.print([f"  {context.own(safe.short(row.note, 600))}"])
    if action == "install":
        context.line("Every turn is saved when it ends; `gitsession status` shows failures.")
