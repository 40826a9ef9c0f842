"""`diagnose`: explain why a model no longer knows a fact."""

from __future__ import annotations

from gitsession.cli import viewing
from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Looks for a fact in the context of a version. If it is missing, checks four causes in this
order: the message that states it was left out and is not a key message; the tool result
that contained it was cleared; it was part of another system prompt; the context is at its
budget. Names the message, the version, and what to do about it.
"""
EXAMPLES = (
    ('gitsession diagnose --fact "JWT"', "with the limit of the session's model"),
    ('gitsession diagnose HEAD~2 --fact "port 8080" --budget 8000', "with a smaller budget"),
)
EXITS = (10, 12, 16, 17)
EXIT_MEANINGS = {0: "the context contains the fact", 1: "the context does not contain it"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, or REV:N"
    )
    parser.add_argument("--fact", metavar="TEXT", required=True, help="the words to look for")
    viewing.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    view = viewing.wishes(arguments, context)
    answer = context.repository().diagnose(arguments.fact, arguments.revision, **view)
    found = answer.diagnosis
    if context.as_json:
        context.answer(
            "diagnose", fact=found.fact, present=found.present, message=found.message,
            cause=found.cause, version=answer.version, checks=found.checks,
        )  # fmt: skip
    else:
        from gitsession.render import context as render

        context.print(render.diagnosis(found, answer.context, answer.version, context.palette))
    return 0 if found.present is not None else NEGATIVE
