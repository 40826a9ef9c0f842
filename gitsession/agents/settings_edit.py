"""Adds elements to arrays inside a JSON settings file and removes them again.

Every other character stays as it is, and removing what was added restores the old text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gitsession.agents.json_edit import members

Path = tuple[str, ...]

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\{\r?\n([ \t]+)\"")


class Item(NamedTuple):
    """A member of an object or an element of an array: its position, and that of its value."""

    start: int
    value_start: int
    end: int
    key: str = ""


def parse(text: str) -> dict[str, object]:
    """Return the object in a settings file; raises ValueError for anything but clean JSON.

    A file with comments or duplicate keys must not be edited.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands twice")
    return value


def append(text: str, path: Path, element: object) -> tuple[str, list[Path]]:
    """Return the text with `element` added to the array at `path`, and the containers created.

    Raises ValueError if something else is in the way.
    """
    at, depth = _skip(text, 0), 0
    while depth < len(path):
        found = [item for item in _items(text, at, "{") if item.key == path[depth]]
        if not found:
            break
        at, depth = found[0].value_start, depth + 1
    missing = path[depth:]
    value: object = element
    for key in reversed(missing[1:]):
        value = {key: value} if value is not element else {key: [element]}
    if len(missing) == 1:
        value = [element]
    unit = _unit(text)
    said = json.dumps(value, indent=unit or None)
    if missing:
        said = f"{json.dumps(missing[0])}: {said}"
    made = [path[: depth + count] for count in range(1, len(missing) + 1)]
    return _put(text, at, "{" if missing else "[", said, unit, depth + 1), made


def _put(text: str, at: int, bracket: str, said: str, unit: str, level: int) -> str:
    """Return the text with one more item at the end of the container that begins at `at`."""
    items = _items(text, at, bracket)
    line = ("\r\n" if "\r\n" in text else "\n") if unit else ""
    before = line + unit * level
    said = said.replace("\n", before)
    if items:
        end = items[-1].end
        return f"{text[:end]},{before or ' '}{said}{text[end:]}"
    return f"{text[: at + 1]}{before}{said}{line}{unit * (level - 1)}{text[at + 1 :]}"


def _unit(text: str) -> str:
    """Return one step of indentation in this text; "" for a text on one line."""
    found = _INDENT.search(text)
    if found:
        return found[1]
    return "" if len(text.strip()) > 2 else "  "


def remove(text: str, path: Path, ours: Callable[[object], bool], made: Sequence[Path]) -> str:
    """Return the text without the elements of the array at `path` that are `ours`.

    Containers on the way that are in `made` and then empty are removed too.
    """
    while True:
        found = _container(text, path)
        if found is None or text[found] != "[":
            return text
        items = _items(text, found, "[")
        taken = [n for n, item in enumerate(items) if ours(_value(text, item))]
        if not taken:
            break
        text = _cut(text, found, items, taken[-1], len(path) + 1)
    for depth in range(len(path), 0, -1):
        if path[:depth] not in made:
            break
        outer = _container(text, path[: depth - 1])
        inner = _container(text, path[:depth])
        if outer is None or inner is None or _items(text, inner, text[inner]):
            break
        items = _items(text, outer, "{")
        number = [item.key for item in items].index(path[depth - 1])
        text = _cut(text, outer, items, number, depth)
    return text


def _cut(text: str, at: int, items: Sequence[Item], number: int, level: int) -> str:
    """Return the text without one item and the whitespace that was added with it."""
    item = items[number]
    if number:
        return text[: items[number - 1].end] + text[item.end :]
    if len(items) > 1:
        return text[: item.start] + text[items[1].start :]
    before = text[at + 1 : item.start]
    indent = before.lstrip("\r\n")
    line = before[: len(before) - len(indent)]
    behind = line + indent[: len(indent) // level * (level - 1)]
    return text[: at + 1] + text[item.end :].removeprefix(behind)


def elements(text: str, path: Path) -> list[object]:
    """Return the values in the array at `path`, none if there is no such array."""
    found = _container(text, path)
    if found is None or text[found] != "[":
        return []
    return [_value(text, item) for item in _items(text, found, "[")]


def _container(text: str, path: Path) -> int | None:
    """Return where the value at `path` begins, None if there is none."""
    at = _skip(text, 0)
    for key in path:
        if text[at] != "{":
            return None
        found = [item for item in _items(text, at, "{") if item.key == key]
        if not found:
            return None
        at = found[0].value_start
    return at


def _items(text: str, at: int, bracket: str) -> list[Item]:
    """Return the items of the object or array at `at`; raises ValueError if there is none."""
    if text[at : at + 1] != bracket:
        raise ValueError("something else stands there")
    if bracket == "{":
        found, _ = members(text[at:])
        return [Item(at + m.start, at + m.value_start, at + m.end, m.key) for m in found]
    items = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        _, end = _DECODER.raw_decode(text, at)
        items.append(Item(at, at, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return items


def _value(text: str, item: Item) -> object:
    value: object = _DECODER.raw_decode(text, item.value_start)[0]
    return value


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
