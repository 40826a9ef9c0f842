"""`checkout`: rolls the conversation back by writing a new native session at a version."""

from __future__ import annotations

import os

from gitsession.cli import viewing
from gitsession.cli.plain import count
from gitsession.errors import Conflict, FormatError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from gitsession.cli.context import Context
    from gitsession.model.report import Checkout

ABOUT = """
Writes a new native session that holds the conversation up to REV, makes a branch for
it at once, and prints the command that continues it. What is not saved yet is saved
first. No file of the agent is overwritten, shortened or edited, and no permission,
approval or sandbox setting is ever written.

The branch is named with -b, else <branch>-2, -3 and so on. The tip of a branch that no
native session of this machine continues is simply continued on that branch;
--continue takes a branch over that one does continue (tip only). A checkout that the
agent never touched is reused by the next checkout of the same version.

Masked values stay masked. --reveal fills those in that the agent's live file still
holds at the remembered place, each checked by its keyed hash, and only into the new
file of that agent. There is no vault: a source that is gone gives nothing back.

--to writes the conversation as a session of another agent: texts, tool calls with
their results and pictures keep their structure, what a model thought goes along as
text. What cannot go along is named with its number. The new session is read back
before anything is placed; its next version has the one checked out as its parent.

--files puts the project's files back as well, as far as the session knew them: those
it read in full, edited or attached, or all that differ from the code repository (see
capture.files). It shows what it will do and asks. A file is only replaced while it is
the last one that the session knew; if one was edited since, nothing is changed without
--force. What is replaced is backed up for 14 days, and undo brings it back. Masked
values are filled in from the file on the disk; where it does not hold them, the file
stays. `checkout -` is where you stood before.

What is not as that version has it is told: instruction files (CLAUDE.md, AGENTS.md …),
the prompt given with --system-prompt, a folder or an active file that is gone, a missing
dependency folder, another branch, a commit of the code that a rebase took away. With
--strict other instruction files, or another prompt, refuse the checkout.
"""
EXAMPLES = (
    ("gitsession checkout HEAD~2", "two turns back, on a new branch"),
    ("gitsession checkout HEAD:7 -b try-cookies", "up to message 7, on branch try-cookies"),
    ("gitsession checkout HEAD~1 --files", "one turn back, the project's files too"),
    ("gitsession checkout HEAD --to codex", "goes on in Codex, whatever agent it was in"),
    ("gitsession checkout main --raw old.jsonl", "only the native bytes, into a file"),
    ("gitsession checkout --clean HEAD", "removes a checkout that the agent never touched"),
)
EXITS = (10, 11, 12, 13, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    add_revision(parser, required=True)
    add_options(parser)
    parser.add_argument(
        "--raw",
        metavar="FILE",
        default="",
        help="only write the native bytes to FILE; with a / at its end, all streams to a folder",
    )
    parser.add_argument(
        "--clean", action="store_true", help="remove an untouched checkout and its branch"
    )
    parser.add_argument(
        "--files", action="store_true", help="put the project's files back to that version too"
    )
    parser.add_argument(
        "--force", action="store_true", help="with --files: go over files that were edited since"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="with --files: do not ask")
    parser.add_argument(
        "--fallback", action="store_true",
        help="if REV is damaged, take the last good version before it",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="say what would happen")


def add_revision(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs=None if required else "?", default="HEAD",
        help="a version, or REV:N for a message",
    )  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `checkout` and `resume` share."""
    parser.add_argument("-b", dest="branch", metavar="NAME", default="", help="name of the branch")
    parser.add_argument(
        "--continue", dest="take_over", action="store_true",
        help="go on with a branch that another native session continues (tip only)",
    )  # fmt: skip
    parser.add_argument(
        "--to", metavar="AGENT", default="",
        help="let another agent go on: claude-code, codex, pi, qwen, gemini, copilot, opencode",
    )  # fmt: skip
    parser.add_argument(
        "--project", metavar="DIR", default="", help="where the agent will be started"
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="somebody else's session in full: with its prompts, memory and plans",
    )
    parser.add_argument(
        "--budget", metavar="N", type=count, default=0,
        help="let the agent start from a context of N tokens (see `context`)",
    )  # fmt: skip
    parser.add_argument(
        "--strategy", metavar="S", choices=viewing.STRATEGIES, default="default",
        help="how that context is made",
    )  # fmt: skip
    parser.add_argument(
        "--reveal", action="store_true",
        help="fill masked values in from the agent's live file, for your own sessions",
    )  # fmt: skip
    parser.add_argument(
        "--system-prompt", metavar="FILE", default="",
        help="the prompt of now, to be compared with the one of that version",
    )  # fmt: skip
    parser.add_argument(
        "--strict", action="store_true",
        help="refuse where prompt or instruction files are not those of that version",
    )  # fmt: skip


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.fallback:
        good = _last_good(arguments.revision, context)
        arguments.revision = good if arguments.raw else arguments.revision
    try:
        return _run(arguments, context)
    except FormatError as error:
        if "fsck" in error.hint or not error.hint:
            error.hint = "--fallback takes the last good version; gitsession fsck names the damage"
        raise


def _last_good(revision: str, context: Context) -> str:
    """The revision itself if nothing is wrong with it, else the version to take, and that is
    said."""
    from gitsession.render import safe

    version, wrong = context.repository().last_good(revision)
    if not wrong:
        return revision
    text = f"{revision} is damaged ({wrong}); taking the last good version {version.id[:12]}"
    context.terminal.warn(f"note: {safe.line(text)}: {safe.short(version.subject, 60)}")
    return version.id


def _run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.raw and arguments.clean:
        raise UsageError("--raw and --clean exclude each other", hint="leave one out")
    alone = arguments.raw or arguments.clean
    more = (arguments.branch, arguments.take_over, arguments.project, arguments.trust)
    if alone and any((*more, arguments.reveal, arguments.budget, arguments.to, arguments.files)):
        raise UsageError("--raw and --clean stand alone", hint="gitsession checkout --help")
    if arguments.force and not arguments.files:
        raise UsageError("--force goes with --files", hint="gitsession checkout --help")
    if arguments.raw:
        return _raw(arguments, context)
    if arguments.clean:
        return _clean(arguments, context)
    wanted = {**wishes(arguments, context), "fallback": arguments.fallback}
    if arguments.files:
        wanted.update(files=True, force=arguments.force)
        if not arguments.dry_run and not arguments.yes:
            _agree(arguments.revision, wanted, context)
    done = context.repository().checkout(arguments.revision, dry_run=arguments.dry_run, **wanted)
    return tell(done, context)


def _agree(revision: str, wanted: dict[str, Any], context: Context) -> None:
    """Show a person what would be done with the files and ask; nobody there has typed it so."""
    if not context.terminal.interactive or context.as_json:
        return
    from gitsession.render import checkout_files

    done = context.repository().checkout(revision, dry_run=True, **wanted).files
    if done is None or not done.changed:
        return
    shown = checkout_files.lines(
        done, dry_run=True, palette=context.palette, width=context.terminal.width
    )
    for line in shown:
        context.terminal.warn(line)
    if not context.terminal.confirm("Do it?"):
        raise Conflict("nothing was changed")


def wishes(arguments: argparse.Namespace, context: Context) -> dict[str, Any]:
    """What `checkout` and `resume` share, as Repository takes it."""
    return {
        "branch": arguments.branch,
        "take_over": arguments.take_over,
        "project": str(context.path(arguments.project)) if arguments.project else "",
        "trust": arguments.trust,
        "reveal": arguments.reveal,
        "budget": arguments.budget,
        "strategy": arguments.strategy,
        "to": arguments.to,
        "strict": arguments.strict,
        "system_prompt": viewing.system_prompt(arguments, context),
    }


def _raw(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.dry_run:
        raise UsageError("--raw writes nothing but its file", hint="leave --dry-run out")
    target = str(context.path(arguments.raw)) + "/" * arguments.raw.endswith(("/", os.sep))
    written = context.repository().checkout_raw(arguments.revision, target)
    if context.as_json:
        context.answer("checkout-raw", written=written)
        return 0
    for path in written:
        context.line(f"Wrote {path}")
    return 0


def _clean(arguments: argparse.Namespace, context: Context) -> int:
    gone = context.repository().clean_checkout(arguments.revision, dry_run=arguments.dry_run)
    if context.as_json:
        context.answer("checkout-clean", removed=gone, dry_run=arguments.dry_run)
        return 0
    did = "Would remove" if arguments.dry_run else "Removed"
    context.line(f"{did} {gone['path']}, which no agent has used")
    return 0


def tell(done: Checkout, context: Context) -> int:
    """What was done, what the agent will see, and the command that continues."""
    if context.as_json:
        context.answer("checkout", checkout=done)
        return 0
    from gitsession.render import report

    context.print(report.checkout(done, palette=context.palette, width=context.terminal.width))
    return 0
