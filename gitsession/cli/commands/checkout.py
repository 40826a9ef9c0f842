"""`checkout`: roll the conversation back by writing a new native session at a version."""

from __future__ import annotations

import os

from gitsession.cli import viewing
from gitsession.cli.combined import exclusive, goes_with
from gitsession.cli.plain import count
from gitsession.errors import Conflict, FormatError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from gitsession.cli.context import Context
    from gitsession.model.report import Checkout

ABOUT = """
Writes a new native session that contains the conversation up to REV, creates a branch for
it, and prints the command that continues it. What is not saved yet is saved first. No file
of the agent is overwritten, shortened or edited, and no permission, approval or sandbox
setting is ever written.

-b names the branch; the default is <branch>-2, -3 and so on. If no native session on this
machine continues the branch, its tip is continued on the branch itself; if one does,
--continue takes the branch over (tip only). A checkout that the agent never used is reused
by the next checkout of the same version.

Masked values stay masked. --reveal fills in those that the agent's live file still contains
at the recorded place, each verified by its keyed hash, and only in the new file of that
agent. There is no vault: if the source is gone, so are the values.

--to writes the conversation as a session of another agent: texts, tool calls with their
results, and images keep their structure; reasoning is carried over as text. What cannot be
carried over is counted and listed. The new session is read back and compared before
anything is put in place. Its next version has the one you checked out as its parent.

--files also restores the project's files as far as the session knew them: those it read in
full, edited or attached, or all that differ from the code repository (see capture.files).
It shows what it will do and asks. A file is only replaced if its content is still the last
one the session knew; if any was edited since, nothing changes without --force. Replaced
files are backed up for 14 days, and undo brings them back. Masked values are filled in from
the file on disk; if that file does not contain them, it is left alone. `checkout -` returns
to where you were before.

You are told what differs from that version: instruction files (CLAUDE.md, AGENTS.md …), the
prompt given with --system-prompt, a missing folder or active file, missing dependencies,
another branch, a code commit that a rebase removed. With --strict, different instruction
files or a different prompt stop the checkout.
"""
EXAMPLES = (
    ("gitsession checkout HEAD~2", "goes two turns back, on a new branch"),
    (
        "gitsession checkout HEAD:7 -b try-cookies",
        "goes back to message 7, on the branch try-cookies",
    ),
    ("gitsession checkout HEAD~1 --files", "goes one turn back and restores the files, too"),
    ("gitsession checkout HEAD --to codex", "continues in Codex, whichever agent it was in"),
    ("gitsession checkout main --raw old.jsonl", "only writes the native bytes to a file"),
    ("gitsession checkout --clean HEAD", "removes a checkout that the agent never used"),
)
EXITS = (10, 11, 12, 13, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    add_revision(parser, required=True)
    add_options(parser)
    parser.add_argument(
        "--raw",
        metavar="FILE",
        default="",
        help="only write the native bytes to FILE; if it ends with /, all streams to that folder",
    )
    parser.add_argument(
        "--clean", action="store_true", help="remove an unused checkout and its branch"
    )
    parser.add_argument(
        "--files", action="store_true", help="also restore the project's files of that version"
    )
    parser.add_argument(
        "--force", action="store_true", help="with --files: overwrite files that were edited since"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="with --files: do not ask")
    parser.add_argument(
        "--fallback", action="store_true",
        help="if REV is damaged, use the last good version before it",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="show what would happen")


def add_revision(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs=None if required else "?", default="HEAD",
        help="a version, or REV:N for a message",
    )  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that `checkout` and `resume` share."""
    parser.add_argument(
        "-b", dest="branch", metavar="NAME", default="", help="name of the new branch"
    )
    parser.add_argument(
        "--continue", dest="take_over", action="store_true",
        help="take over a branch that another native session continues (tip only)",
    )  # fmt: skip
    parser.add_argument(
        "--to", metavar="AGENT", default="",
        help="continue in another agent: claude-code, codex, pi, qwen, gemini, copilot, opencode,"
        " kilo, continue, kimi",
    )  # fmt: skip
    parser.add_argument(
        "--project", metavar="DIR", default="", help="the folder in which the agent is started"
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="keep the prompts, memory and plans of somebody else's session",
    )
    parser.add_argument(
        "--budget", metavar="N", type=count, default=0,
        help="start from a context of at most N tokens (see `context`)",
    )  # fmt: skip
    parser.add_argument(
        "--strategy", metavar="S", choices=viewing.STRATEGIES, default="default",
        help="how to build that context",
    )  # fmt: skip
    parser.add_argument(
        "--reveal", action="store_true",
        help="fill in masked values from the agent's live file (own sessions only)",
    )  # fmt: skip
    parser.add_argument(
        "--system-prompt", metavar="FILE", default="",
        help="the current prompt, to compare with that version's",
    )  # fmt: skip
    parser.add_argument(
        "--strict", action="store_true",
        help="refuse if the prompt or instruction files differ from that version's",
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
    """Return the revision itself if nothing is wrong with it; else print a note and return the
    version to take."""
    from gitsession.render import safe

    version, wrong = context.repository().last_good(revision)
    if not wrong:
        return revision
    text = f"{revision} is damaged ({wrong}); taking the last good version {version.id[:12]}"
    context.terminal.warn(f"note: {safe.line(text)}: {safe.short(version.subject, 60)}")
    return version.id


def _run(arguments: argparse.Namespace, context: Context) -> int:
    exclusive({"--raw": arguments.raw, "--clean": arguments.clean})
    alone = arguments.raw or arguments.clean
    more = (
        arguments.branch, arguments.take_over, arguments.project, arguments.trust,
        arguments.strict, arguments.system_prompt, arguments.strategy != "default",
    )  # fmt: skip
    if alone and any((*more, arguments.reveal, arguments.budget, arguments.to, arguments.files)):
        raise UsageError("--raw and --clean stand alone", hint="gitsession checkout --help")
    goes_with({"--force": arguments.force}, "--files", arguments.files)
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
    """Show what would be done with the files and ask; if nobody can answer, only --yes
    continues."""
    from gitsession.render import checkout_files

    done = context.repository().checkout(revision, dry_run=True, **wanted).files
    if done is None or not done.changed:
        return
    shown = checkout_files.lines(
        done, dry_run=True, palette=context.palette, width=context.terminal.width
    )
    for line in () if context.as_json else shown:
        context.terminal.warn(line)
    if not context.terminal.confirm("Restore these files?"):
        raise Conflict("nothing was changed")


def wishes(arguments: argparse.Namespace, context: Context) -> dict[str, Any]:
    """Return the options that `checkout` and `resume` share, as Repository takes them. Raises
    UsageError, NotFound."""
    goes_with({"--strategy": arguments.strategy != "default"}, "--budget", arguments.budget)
    exclusive({"--continue": arguments.take_over, "-b": arguments.branch})
    return {
        "branch": arguments.branch,
        "take_over": arguments.take_over,
        "project": context.folder(arguments.project) if arguments.project else "",
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
    context.line(f"{did} {gone['path']}, which was never used")
    return 0


def tell(done: Checkout, context: Context) -> int:
    """Print what was done, what the agent will see, and the command that continues."""
    if context.as_json:
        from dataclasses import replace

        context.answer("checkout", checkout=replace(done, note=context.own(done.note)))
        return 0
    from gitsession.render import report

    context.print(report.checkout(done, palette=context.palette, width=context.terminal.width))
    return 0
