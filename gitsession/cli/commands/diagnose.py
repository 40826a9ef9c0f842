"""`diagnose`: why a model does not know a fact any more."""

from __future__ import annotations

from gitsession.cli import viewing
from gitsession.cli.exit_codes import NEGATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Looks for a fact in the context of a version. Where it is missing, four causes are tried in
order: the message that says it was cut and is no key message; the tool output that
carried it is gone; the system prompt is not the one it stood in; the context is at its
budget. Names the message, the version, and what to do.
"""
EXAMPLES = (
    ('gitsession diagnose --fact "JWT"', "with what the session's model takes"),
    ('gitsession diagnose HEAD~2 --fact "port 8080" --budget 8000', "with a smaller budget"),
)
EXITS = (10, 12, 16, 17)
EXIT_MEANINGS = {0: "the context says it", 1: "the context does not say it"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, or REV:N"
    )
    parser.add_argument("--fact", metavar="TEXT", required=True, help="a few words to look for")
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

        context.print(render.diagnosis(found, answer.context, answer.version))
    return 0 if found.present is not None else NEGATIVE
