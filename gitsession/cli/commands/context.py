"""`context`: print what a model would see of a version, within a budget."""

from __future__ import annotations

from gitsession.cli import viewing
from gitsession.cli.combined import exclusive
from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.operations.contexts.context_view import Fill

ABOUT = """
Builds the list of messages that fits a token budget: the newest exchanges, key messages
(tagged with --key, or recognized as a requirement, a decision or its confirmation), and
one summary at the beginning for the rest. Every tool call has exactly one result, and the
budget is never exceeded. What is stored does not change. --explain tells for each message
whether it is kept whole, shortened, pruned, summarised or dropped, and why. --check
compares the token usage stated by the newest answer with the model's limit (or --budget).
"""
EXAMPLES = (
    ("gitsession context --budget 8000 --explain", "shows what happens to each message"),
    (
        "gitsession context HEAD~3 --budget 32000 --format markdown",
        "prints it for reading or pasting",
    ),
    (
        "gitsession context --strategy opencode --format anthropic",
        "follows the rules of another program",
    ),
)
EXITS = (10, 12, 16, 17)
EXIT_MEANINGS = {0: "done; --check: under the limit", 1: "--check: a compaction is due"}
FORMATS = ("markdown", "json", "anthropic", "openai", "gemini")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, or REV:N"
    )
    parser.add_argument(
        "--format", metavar="F", choices=FORMATS, default="markdown",
        help="markdown (default), json, anthropic, openai or gemini",
    )  # fmt: skip
    parser.add_argument(
        "--explain", action="store_true", help="print what happens to each message, and why"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="only check whether the newest answer was over the limit",
    )
    viewing.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    form = arguments.format if arguments.format != "markdown" else ""
    exclusive({"--check": arguments.check, "--explain": arguments.explain})
    exclusive({"--check": arguments.check, "--format": form})
    exclusive({"--explain": arguments.explain, "--format": form})
    repository = context.repository()
    view = viewing.wishes(arguments, context)
    if arguments.check:
        return _check(repository.context_fill(arguments.revision, **view), context)
    found = repository.context(arguments.revision, **view)
    if context.as_json or arguments.format == "json":
        context.answer("context", context=found)
        return 0
    from gitsession.render import context as render

    if arguments.explain:
        context.page(render.ledger(found, context.palette))
    elif arguments.format == "markdown":
        context.page(render.markdown(found))
    else:
        context.terminal.write(render.as_request(found, arguments.format, arguments.model))
    return 0


def _check(fill: Fill, context: Context) -> int:
    """Print over or under, with the figures; return the exit code."""
    if context.as_json:
        context.answer("context-check", check=fill)
    elif not fill.stated:
        context.line("under: no answer states how many tokens it took")
    elif not fill.usable and not fill.over:
        context.line(f"under: {fill.used:,} tokens used, no limit of that model is known")
    else:
        said = "over" if fill.over else "under"
        context.line(f"{said}: {fill.used:,} of {fill.usable:,} usable tokens")
    return NEGATIVE if fill.over else 0
