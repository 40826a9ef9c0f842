"""Parse plain command lines without argparse, which takes a sixth of a whole `list` to load.

Plain means: options spelled out, followed by their values, and arguments in one run. For anything
else, including mistakes, the result is None and `parser` parses the line: only that decides what is
right.
"""

from __future__ import annotations

from types import SimpleNamespace

from gitsession.cli.verbs import GLOBAL_OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType
    from typing import Any

HIDDEN = ""
"""The help of an option that is not shown in help."""
GLOBALS: dict[str, tuple[str, bool | str]] = {
    "--json": ("json", False),
    "--store": ("store", ""),
    "-C": ("directory", ""),
    "--color": ("color", "auto"),
    "--no-pager": ("no_pager", False),
    "--version": ("version", False),
}
"""The destination and the default of each global option."""
WHEN = ("auto", "always", "never")
_KNOWN = {"action", "choices", "default", "dest", "help", "metavar", "nargs", "required", "type"}


def count(word: str) -> int:
    """Return a number from 0 on; raises ValueError for anything else."""
    return _from(0, word)


def ordinal(word: str) -> int:
    """Return a number from 1 on; raises ValueError for anything else."""
    return _from(1, word)


def _from(least: int, word: str) -> int:
    number = int(word)
    if number < least:
        raise ValueError
    return number


def read(before: Sequence[str], module: ModuleType, after: Sequence[str]) -> Any:
    """Return what the parsers would make of the words around a verb, or None."""
    above, line = _Line(), _Line()
    module.configure(line)
    for names, _, _ in GLOBAL_OPTIONS:
        if names[-1] != "--version":
            above.add_global(names)
            line.add_global(names)
    told = SimpleNamespace(**dict(GLOBALS.values()))
    if not above.take(before, told):
        return None
    vars(told).update(line.defaults)
    return told if line.take(after, told) else None


class _Line:
    """Accepts declarations as an ArgumentParser does, and parses words as far as they are plain."""

    def __init__(self) -> None:
        self.defaults: dict[str, object] = {}
        self._options: dict[str, tuple[str, dict[str, Any]]] = {}
        self._places: list[tuple[str, dict[str, Any]]] = []
        self._plain = True

    def add_argument(self, *names: str, **said: Any) -> None:
        if not names[0].startswith("-"):
            self._add_place(names[0], said)
            return
        flag = said.get("action") == "store_true"
        long = next((name for name in names if name.startswith("--")), names[0])
        target = said.get("dest") or long.lstrip("-").replace("-", "_")
        self.defaults[target] = said.get("default", False if flag else None)
        self._plain = self._plain and not said.get("required")
        if flag or (said.keys() <= _KNOWN and not said.keys() & {"action", "nargs"}):
            self._options.update(dict.fromkeys(names, (target, said)))

    def _add_place(self, name: str, said: dict[str, Any]) -> None:
        nargs = said.get("nargs")
        takes_all = bool(self._places) and self._places[-1][1].get("nargs") == "*"
        known = nargs in (None, "?", "*") and said.keys() <= _KNOWN - {"action", "dest"}
        self._plain = self._plain and known and not takes_all
        self._places.append((name, said))
        self.defaults[name] = said.get("default", [] if nargs == "*" else None)

    def add_subparsers(self, **_: object) -> _Line:
        self._plain = False
        return self

    def add_parser(self, *_: object, **__: object) -> _Line:
        return _Line()

    def add_global(self, names: Iterable[str]) -> None:
        for name in names:
            if name in GLOBALS:
                target, default = GLOBALS[name]
                said = {"action": "store_true"} if default is False else {}
                choices = {"choices": WHEN} if target == "color" else {}
                self._options[name] = (target, {**said, **choices})

    def take(self, words: Sequence[str], told: SimpleNamespace) -> bool:
        """Store what the words say in `told`; return False if they are not plain."""
        given: list[str] = []
        rest, closed = list(reversed(words)), False
        while rest:
            word = rest.pop()
            if word.startswith("-") or not word:
                closed = bool(given)
                target, said = self._options.get(word, ("", {}))
                value = said.get("action") == "store_true" or (
                    _value(rest.pop(), said) if target and rest else None
                )
                if value is None:
                    return False
                setattr(told, target, value)
            elif closed:
                return False
            else:
                given.append(word)
        return self._plain and self._put(given, told)

    def _put(self, given: list[str], told: SimpleNamespace) -> bool:
        for name, said in self._places:
            number = len(given) if said.get("nargs") == "*" else min(len(given), 1)
            values = [_value(word, said) for word in given[:number]]
            given = given[number:]
            if None in values or (not values and said.get("nargs") is None):
                return False
            if values:
                setattr(told, name, values if said.get("nargs") == "*" else values[0])
        return not given


def _value(word: str, said: dict[str, Any]) -> object:
    """Return the value of a word, None if it is not valid."""
    if not word or word.startswith("-"):
        return None
    try:
        value: object = said.get("type", str)(word)
    except ValueError:
        return None
    return value if value in said.get("choices", (value,)) else None
