"""`scrub`: remove a secret from everything that is stored. Cannot be undone."""

from __future__ import annotations

from gitsession.errors import Conflict, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import Scrubbed, ScrubPlan

ABOUT = """
Change (rotate) the secret first: what others have read or copied cannot be called back.

Removes one value from every version, tag, message, name and record of the store, drops the
old objects and what could be undone until now, and reads everything again to prove that
the value is gone. Old version ids still work. From then on, every save, import and fetch
masks the value, so that the agent's own file does not bring it back; for that purpose it is
kept, encrypted, in your configuration folder.

The value is asked for without echo or, with --stdin, read from standard input; it is never
an argument. Instead of a value, you can give a placeholder that `scan --all` printed.

Remotes, clones, forks and the agents' own files are out of reach; scrub names those that
it knows. It cannot be undone, and it refuses to run inside an agent.
"""
EXAMPLES = (
    ("gitsession scrub", "asks for the value"),
    ("gitsession scrub --stdin --yes", "reads the value from standard input, for scripts"),
    ("gitsession scrub __REDACTED_github-token_1a2b3c4d__", "removes what scan --all found"),
    ("gitsession scrub --dry-run", "only shows where the value occurs"),
)
EXITS = (10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "placeholder", metavar="PLACEHOLDER", nargs="?", default="",
        help="placeholder of a secret that scan --all found",
    )  # fmt: skip
    parser.add_argument("--stdin", action="store_true", help="read the value from standard input")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--dry-run", action="store_true", help="show where the value occurs, change nothing"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.operations.secrets.scrub import refuse_inside_agent

    refuse_inside_agent(context.environment)
    repository = context.repository()
    values, plan = repository.plan_scrub(_value(arguments, context))
    if arguments.dry_run:
        _show_plan(plan, context, final=True)
        return 0
    if not context.as_json:
        _show_plan(plan, context)
    question = "Have you changed the secret already, and rewrite the history now"
    if not arguments.yes and not context.terminal.confirm(f"{question}?"):
        raise Conflict("nothing was changed")
    done = repository.scrub(values)
    if context.as_json:
        context.answer("scrub", done=done)
    else:
        _show(done, context)
    return 0


def _value(arguments: argparse.Namespace, context: Context) -> str:
    """Return the value, never from the arguments: shell histories and process lists keep those."""
    if arguments.placeholder:
        if arguments.stdin:
            raise UsageError("give a placeholder or --stdin, not both")
        if not arguments.placeholder.startswith("__REDACTED_"):
            raise UsageError(
                "a value is never taken as an argument: shells and process lists keep those",
                hint="gitsession scrub asks for it without echo; change the secret in any case",
            )
        return str(arguments.placeholder)
    if arguments.stdin:
        return context.terminal.stdin.read()
    return context.terminal.ask_hidden("The value to remove (not shown)")


def _show_plan(plan: ScrubPlan, context: Context, final: bool = False) -> None:
    if context.as_json:
        context.answer("scrub-plan", plan=plan)
        return
    from gitsession.render import scrubbing

    context.print(scrubbing.plan(plan, final=final))


def _show(done: Scrubbed, context: Context) -> None:
    from gitsession.render import scrubbing

    context.print(scrubbing.done(done, context.palette))
