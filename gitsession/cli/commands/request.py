"""`request`: print the complete request that would continue a session."""

from __future__ import annotations

from gitsession.cli import viewing

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Prints the JSON body of an API request that continues the conversation with a new message:
the model, the system prompt with the instruction files in force at that version (CLAUDE.md,
AGENTS.md …; up to 4,000 characters each and 12,000 in all, the nearest kept longest) and the
working state, a summary if needed, the messages, and the tools that were offered. Nothing
is sent.
"""
EXAMPLES = (
    ('gitsession request --message "go on"', "for Anthropic's Messages API"),
    (
        'gitsession request HEAD~2 --message "go on" --format openai --budget 32000',
        "for an OpenAI-style API",
    ),
)
EXITS = (10, 12, 16, 17)
FORMATS = ("anthropic", "openai", "gemini")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, or REV:N"
    )
    parser.add_argument("--message", metavar="TEXT", required=True, help="the next user message")
    parser.add_argument(
        "--format", metavar="F", choices=FORMATS, default="anthropic",
        help="anthropic (default), openai or gemini",
    )  # fmt: skip
    parser.add_argument(
        "--no-instructions", action="store_true", help="leave the instruction files out"
    )
    viewing.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    view = {
        **viewing.wishes(arguments, context), "instructions": not arguments.no_instructions
    }  # fmt: skip
    body = context.repository().request(
        arguments.message, arguments.revision, arguments.format, **view
    )
    if context.as_json:
        context.answer("request", format=arguments.format, request=body)
        return 0
    import json

    context.terminal.write(json.dumps(body, indent=2) + "\n")
    return 0
