"""`help`: print the same as `VERB --help`, for those who type it the other way round."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Without a verb, lists all verbs.
"""
EXAMPLES = (("gitsession help checkout", "shows options, examples and exit codes of checkout"),)
EXITS = ()


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verb", metavar="VERB", nargs="?", default="", help="the verb")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.main import load
    from gitsession.cli.parser import help_text, top_parser, verb_parser

    verb = arguments.verb
    parser = verb_parser(verb, load(verb)) if verb else top_parser()
    if context.as_json:
        context.answer("help", verb=verb, text=help_text(parser))
    else:
        context.terminal.write(help_text(parser))
    return 0
