"""Writes docs/reference/cli.md and exit-codes.md from the parsers.

Run `python docs/make_cli_reference.py`.

A test keeps both pages equal to what this makes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from types import ModuleType

from gitsession.cli.exit_codes import MEANINGS
from gitsession.cli.main import load
from gitsession.cli.parser import usage, verb_parser
from gitsession.cli.verbs import GLOBAL_OPTIONS, GROUPS

FOLDER = Path(__file__).parent / "reference"
_HEAD = """# The command line

<!-- Made by docs/make_cli_reference.py from the parsers; edit the help texts instead. -->

gitsession is installed as `gitsession` and as `git-session`, so `git session log` works, too. Results
go to standard output; progress, questions and errors to standard error. Without a terminal, the output
is the same, minus colour, pager and progress. In text that comes from a session, control, bidirectional
and zero-width characters are made visible. No editor is ever opened.

With `--json`, a result is one object whose `schema` names its shape and version, and an error is an
object on standard error. See also [exit codes](exit-codes.md).

## Naming a session or a version

| form | meaning |
|---|---|
| `@1` | the first row of the last `list` |
| `HEAD`, `HEAD~2` | the current version of this directory, two versions before it |
| `fix-login-3fa9`, `fix-login-3fa9/main` | a session, a branch of it |
| `fix-login-3fa9/decision-jwt` | a tag |
| `origin/fix-login-3fa9/main` | a branch of a remote |
| `3fa91c22` | the id of a version, or at least its first four characters |
| a native id, or the unique start of one | the session that the agent knows by that id |
| `REV:7` | message 7 of a version |
| `A..B` | what is in B but not in A |

Local names take precedence over remote ones, branches over tags. An ambiguous name is an error that lists
the candidates.
"""
_CODES = """# Exit codes

<!-- Made by docs/make_cli_reference.py; edit gitsession/cli/exit_codes.py instead. -->

| code | means |
|---|---|
{rows}

An error is one sentence on standard error that says what is wrong, the candidates if a name was
ambiguous, and a `hint:` that says what to do:

```
error: there is no verb 'lgo'
hint: did you mean `gitsession log`?
```

With `--json`, it is one object, `gitsession.error/1`, with the members `error`, `hint`,
`exit_code`, `kind` (the class of the error) and `candidates`.

Code 3 is never your fault. The log file that it names contains the stack frames, exception types and
library versions, but no messages, values or arguments, so you can attach it to a report as it is. A
closed pipe (`gitsession log | head`) is not an error. `save` exits with 0 if nothing is new, so hooks
can call it at any time.

## Codes with a special meaning

| verb | code | means |
|---|---|---|
{own}
"""


def cli_page() -> str:
    """The reference of all verbs, group by group."""
    parts = [_HEAD, "## Global options\n", "They can come before or after the verb.\n"]
    rows = [
        (f"`{', '.join(names)} {value}".rstrip() + "`", text)
        for names, value, text in GLOBAL_OPTIONS
    ]
    parts.append(_table(("option", "meaning"), rows))
    for group, verbs in GROUPS:
        parts.append(f"## {group.capitalize()}\n")
        parts += [_verb(verb, summary) for verb, summary in verbs]
    return "\n".join(parts)


def exit_codes_page() -> str:
    own = []
    for _, verbs in GROUPS:
        for verb, _ in verbs:
            for code, text in getattr(load(verb), "EXIT_MEANINGS", {}).items():
                own.append(f"| `{verb}` | {code} | {text} |")
    rows = [f"| {code} | {text} |" for code, text in MEANINGS.items()]
    return _CODES.format(rows="\n".join(rows), own="\n".join(own))


def _verb(verb: str, summary: str) -> str:
    module = load(verb)
    parser = verb_parser(verb, module)
    lines = [f"### {verb}\n", f"{summary[0].upper()}{summary[1:]}.\n"]
    lines.append(f"```\n{usage(parser, lead=0)}\n```\n")
    lines.append(module.ABOUT.strip() + "\n")
    arguments = _arguments(parser)
    if arguments:
        lines.append(_table(("argument", "meaning"), arguments))
    lines += [f"- `{command}`: {text}" for command, text in module.EXAMPLES]
    lines.append("\n" + _exits(module))
    return "\n".join(lines)


def _arguments(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    formatter = parser.formatter_class(prog="")
    rows = []
    for action in parser._actions:
        if action.help is argparse.SUPPRESS or set(action.option_strings) & {"--help", "--json"}:
            continue
        name = formatter._format_action_invocation(action).replace("|", "\\|")
        rows.append((f"`{name}`", str(action.help)))
    return rows


def _exits(module: ModuleType) -> str:
    codes = sorted({0, 2, 3, 130, *module.EXITS, *getattr(module, "EXIT_MEANINGS", {})})
    return "Exit codes: " + ", ".join(map(str, codes)) + ".\n"


def _table(heading: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {heading[0]} | {heading[1]} |", "|---|---|"]
    lines += [f"| {name} | {text} |" for name, text in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (FOLDER / "cli.md").write_text(cli_page(), encoding="utf-8")
    (FOLDER / "exit-codes.md").write_text(exit_codes_page(), encoding="utf-8")
