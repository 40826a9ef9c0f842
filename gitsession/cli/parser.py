"""Parsers: one for the global options, one per verb, and one help format for all.

The format is our own where the standard library's differs between Python releases, so that the
reference page can be kept identical to the parsers.
"""

from __future__ import annotations

import argparse

from gitsession.cli.exit_codes import MEANINGS
from gitsession.cli.overview import PROGRAM, HelpRequested, general_help
from gitsession.cli.plain import GLOBALS, HIDDEN, WHEN
from gitsession.cli.verbs import GLOBAL_OPTIONS, SUMMARIES
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

WIDTH = 80


# Our texts are in one language; argparse's lookup of translations would import `locale`.
argparse._ = str  # type: ignore[attr-defined]


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError and HelpRequested where argparse would print and exit."""

    color = False  # Python 3.14 colours help by itself; here the Terminal decides

    def add_argument(self, *names: str, **said: Any) -> argparse.Action:
        if said.get("help") == HIDDEN:
            said["help"] = argparse.SUPPRESS
        return super().add_argument(*names, **said)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Raise ArgumentError for an empty value: an unset variable, say, is not "not given"."""
        empty = action.type is None and "" in arg_strings
        if action.option_strings and empty and action.dest not in _MAY_BE_EMPTY:
            raise argparse.ArgumentError(action, _EMPTY)
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        raise UsageError(_in_words(message), hint=f"{self.prog} --help")


_EMPTY = "empty"
_MAY_BE_EMPTY = ("directory", "message", "grep", "search")
"""As in git: `-C ""` is the current directory, and an empty pattern matches everything."""
_WANTED = {
    "count": "a number, 0 or greater", "ordinal": "a number, 1 or greater", "int": "a whole number",
    "float": "a number",
}  # fmt: skip


def _in_words(message: str) -> str:
    """Return what argparse says about an option's value, as a sentence."""
    import re

    found = re.fullmatch(r"(?s)argument (?:\S*/)?(\S+): (.*)", message)
    if found is None:
        return message
    name, said = found.groups()
    if wrong := re.fullmatch(r"(?s)invalid (\w+) value: (.*)", said):
        return f"{name} takes {_WANTED.get(wrong[1], 'another value')}, not {wrong[2]}"
    if wrong := re.fullmatch(r"(?s)invalid choice: (.*) \(choose from (.*)\)", said):
        return f"{name} is one of {wrong[2].replace(chr(39), '')}, not {wrong[1]}"
    if said == _EMPTY:
        return f"{name} is given an empty value"
    if wrong := re.fullmatch(r"expected (\w+) arguments?", said):
        return f"{name} needs {'a value' if wrong[1] == 'one' else f'{wrong[1]} values'}"
    return message


class _Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        raise HelpRequested(help_text(parser))


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Uses a fixed width (asking the terminal imports a third of the standard library) and `-n,
    --limit N` instead of `-n N, --limit N`."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=WIDTH)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(text, width)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return _value(action)
        names = ", ".join(action.option_strings)
        return names if action.nargs == 0 else f"{names} {_value(action)}"


def new_parser(prog: str) -> Parser:
    return Parser(prog=prog, formatter_class=Formatter, add_help=False, allow_abbrev=False)


def top_parser() -> Parser:
    """Return the parser for what precedes the verb."""
    parser = new_parser(PROGRAM)
    _add_global(parser, top=True)
    return parser


def verb_parser(verb: str, module: ModuleType) -> Parser:
    """Return the parser of one verb: its module's arguments, its help, the global options again."""
    parser = new_parser(f"{PROGRAM} {verb}")
    module.configure(parser)
    _add_global(parser, top=False)
    summary = SUMMARIES[verb]
    parser.description = f"{summary[0].upper()}{summary[1:]}.\n\n{module.ABOUT.strip()}"
    parser.epilog = f"{_examples(module)}\n\n{_exit_status(module)}"
    return parser


def help_text(parser: argparse.ArgumentParser) -> str:
    """Return the help of a verb's parser, or the general help for the top parser."""
    if parser.prog == PROGRAM:
        return general_help()
    parser.usage = usage(parser)
    parser.description = _filled(parser.description or "")
    return parser.format_help()


def _filled(text: str) -> str:
    """Return the paragraphs wrapped at our width, whatever the source's line breaks."""
    return "\n\n".join("\n".join(wrapped(p, WIDTH)) for p in text.split("\n\n"))


def wrapped(text: str, width: int) -> list[str]:
    """Return lines broken between words only: the name of an option or a strategy is one word."""
    import textwrap

    return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def usage(parser: argparse.ArgumentParser, lead: int = len("usage: ")) -> str:
    """Return `gitsession log [REV] [--oneline] …`, wrapped, with options in declaration order."""
    words = [_usage_word(a) for a in parser._actions if a.help is not argparse.SUPPRESS]
    lines, indent = [parser.prog], " " * lead
    for word in words:
        if len(indent) + len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(" " * len(parser.prog))
        lines[-1] += f" {word}"
    return f"\n{indent}".join(lines)


def _usage_word(action: argparse.Action) -> str:
    value = _value(action)
    if action.option_strings:
        name = action.option_strings[0]
        return f"[{name}]" if action.nargs == 0 else f"[{name} {value}]"
    return {"?": f"[{value}]", "*": f"[{value} ...]", "+": f"{value} ..."}.get(
        str(action.nargs), value
    )


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar is not None:
        value = action.metavar
    elif action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    else:
        value = action.dest.upper()
    return value


def _examples(module: ModuleType) -> str:
    lines = ["examples:"]
    for command, explanation in module.EXAMPLES:
        lines += [f"  $ {command}", f"      {explanation}"]
    return "\n".join(lines)


def _exit_status(module: ModuleType) -> str:
    codes: dict[int, str] = {code: MEANINGS[code] for code in (0, 2, 3, 130)}
    for code in module.EXITS:
        codes[code] = MEANINGS[code]
    codes.update(getattr(module, "EXIT_MEANINGS", {}))
    lines = [f"  {code:<4} {codes[code]}" for code in sorted(codes)]
    return "\n".join(["exit status:", *lines])


_SHOWN = ("--help", "--json")
"""Global options that are also shown in the help of a verb."""


def _add_global(parser: Parser, top: bool) -> None:
    """Add the global options; after a verb, their defaults do not override what preceded it."""
    for names, value, text in GLOBAL_OPTIONS if top else GLOBAL_OPTIONS[:-1]:
        keywords = _keywords(names[-1])
        if value:
            keywords["metavar"] = value
        if not top:
            keywords["default"] = argparse.SUPPRESS
        shown = top or names[-1] in _SHOWN
        keywords["help"] = text if shown else argparse.SUPPRESS
        parser.add_argument(*names, **keywords)


def _keywords(name: str) -> dict[str, object]:
    if name not in GLOBALS:
        return {"action": _Help, "nargs": 0, "default": argparse.SUPPRESS}
    target, default = GLOBALS[name]
    kind = {"action": "store_true"} if default is False else {}
    return {
        "dest": target,
        "default": default,
        **kind,
        **({"choices": WHEN} if target == "color" else {}),
    }
