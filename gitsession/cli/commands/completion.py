"""`completion`: print a script that teaches a shell our verbs, options and values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Prints the script to standard output; where to put it depends on the shell. It also completes
`git-session` and, with git's own completion, `git session`: for that, the shell looks for a
file of that name, so link git-session (zsh: _git-session, fish: git-session.fish) to the script.
"""
EXAMPLES = (
    (
        "gitsession completion bash > ~/.local/share/bash-completion/completions/gitsession",
        "for bash, in new shells",
    ),
    ("gitsession completion zsh > ~/.zfunc/_gitsession", "for zsh, if ~/.zfunc is in fpath"),
    ("gitsession completion fish > ~/.config/fish/completions/gitsession.fish", "for fish"),
)
EXITS = ()


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    import shtab

    script = as_git_calls_it(arguments.shell, shtab.complete(whole_parser(), shell=arguments.shell))
    if context.as_json:
        context.answer("completion", shell=arguments.shell, text=script)
    else:
        context.terminal.write(script)
    return 0


_AS_GIT_SESSION = {
    "bash": r"""
complete -o bashdefault -F _shtab_gitsession git-session

# `git session`: git's own completion calls this, with the words of the whole line.
_git_session() {
  local first=1
  while [[ $first -lt $COMP_CWORD && "${COMP_WORDS[first]}" != session ]]; do
    let "first+=1"
  done
  local -a given=("${COMP_WORDS[@]}")
  local -a COMP_WORDS=(gitsession "${given[@]:first+1}")
  local COMP_CWORD=$((COMP_CWORD - first))
  _shtab_gitsession gitsession "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
}
""",
    "zsh": "",  # handled by the script's first line, and by the file's name
    "fish": """
# By its other name; fish's completion of git asks for that one.
complete -c git-session -w gitsession
""",
}
"""What each shell needs to complete the program by its other name, and as a verb of git."""


def as_git_calls_it(shell: str, script: str) -> str:
    """Return the script for `gitsession`, extended to `git-session` and `git session`."""
    script = script.replace("#compdef gitsession\n", "#compdef gitsession git-session\n", 1)
    script = script.replace("compdef _shtab_gitsession -N gitsession\n",
                            "compdef _shtab_gitsession -N gitsession git-session\n")  # fmt: skip
    return script.rstrip("\n") + "\n" + _AS_GIT_SESSION[shell]


def whole_parser() -> argparse.ArgumentParser:
    """Return all verbs as sub-parsers of one parser: the form that completion generators read."""
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
