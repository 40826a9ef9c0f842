"""`completion`: a script that teaches a shell our verbs, options and values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Prints the script to standard output; where it has to go depends on the shell.
"""
EXAMPLES = (
    (
        "gitsession completion bash > ~/.local/share/bash-completion/completions/gitsession",
        "for bash, from the next shell on",
    ),
    ("gitsession completion zsh > ~/.zfunc/_gitsession", "for zsh, with ~/.zfunc in fpath"),
    ("gitsession completion fish > ~/.config/fish/completions/gitsession.fish", "for fish"),
)
EXITS = ()


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    import shtab

    script = shtab.complete(whole_parser(), shell=arguments.shell)
    if context.as_json:
        context.answer("completion", shell=arguments.shell, text=script)
    else:
        context.terminal.write(script)
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """All verbs as sub-parsers of one parser: the form that completion generators read."""
    from gitsession.cli.main import load
    from gitsession.cli.overview import PROGRAM
    from gitsession.cli.parser import Parser, top_parser
    from gitsession.cli.verbs import SUMMARIES

    parser = top_parser()
    verbs = parser.add_subparsers(metavar="VERB", parser_class=Parser)
    for verb, summary in SUMMARIES.items():
        child = verbs.add_parser(verb, prog=f"{PROGRAM} {verb}", help=summary, add_help=False)
        load(verb).configure(child)
        child.add_argument("--json", action="store_true", help="print JSON, errors too")
        child.add_argument("-h", "--help", action="help", help="show this help and exit")
        _complete_paths(child)
    return parser


def _complete_paths(parser: argparse.ArgumentParser) -> None:
    import shtab

    for action in parser._actions:
        if action.metavar in ("FILE", "PATH"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
