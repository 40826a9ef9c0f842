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

Installed as `gitsession` and as `git-session`, so `git session log` works too. Results go to
standard output; progress, questions and errors to standard error. Without a terminal the output is
the same, minus colour, pager and progress. Whatever comes from a session is printed with control,
bidi and zero-width characters made visible. No editor is ever opened.

With `--json` a result is one object whose `schema` names its shape and that shape's version, and an
error is one on standard error. Exit codes: see [exit-codes.md](exit-codes.md).

## Naming a session or a version

| form | is |
|---|---|
| `@1` | a row of the last `list` |
| `HEAD`, `HEAD~2` | where this directory stands, two versions before it |
| `fix-login-3fa9`, `fix-login-3fa9/main` | a session, a branch of it |
| `fix-login-3fa9/decision-jwt` | a tag |
| `origin/fix-login-3fa9/main` | a branch of a remote |
| `3fa91c22` | a version's id, four characters at least |
| a native id, or the unique start of one | the session the agent knows by it |
| `REV:7` | message 7 of a version |
| `A..B` | what B has and A has not |

Local goes before remote, a branch before a tag. A name that fits more than one thing is an error
that lists them.
"""
_CODES = """# Exit codes

<!-- Made by docs/make_cli_reference.py; edit gitsession/cli/exit_codes.py instead. -->

| code | means |
|---|---|
{rows}

An error is one sentence on standard error that says what is wrong, the candidates if a name was
ambiguous, and one `hint:` with the next command:

```
error: there is no verb 'lgo'
hint: did you mean `gitsession log`?
```

With `--json` the same is one object, `gitsession.error/1`, with the members `error`, `hint`,
`exit_code`, `kind` (the class of the error) and `candidates`.

Code 3 is never your fault. The log it names holds the frames of the program, the types of the
exceptions and versions of the libraries; no message, no value and no argument, so that it can be
attached to a report as it is. A closed pipe (`gitsession log | head`) is no error. `save` with
nothing new is 0, so that hooks can call it at any time.

## Codes that mean something of their own

| verb | code | means |
|---|---|---|
{own}
"""


def cli_page() -> str:
    """The reference of all verbs, group by group."""
    parts = [_HEAD, "## Global options\n", "They may stand before or behind the verb.\n"]
    rows = [
        (f"`{', '.join(names)} {value}".rstrip() + "`", text)
        for names, value, text in GLOBAL_OPTIONS
    ]
    parts.append(_table(("option", "does"), rows))
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
        lines.append(_table(("argument", "is"), arguments))
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
