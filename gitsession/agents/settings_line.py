"""One line at the top of a TOML settings file: put in, known again, taken out exactly."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence


def parse(text: str) -> dict[str, object]:
    """The settings; raises ValueError for a text that is no TOML."""
    return tomllib.loads(text)


def line(key: str, words: Sequence[str]) -> str:
    """`key = ["…", …]`: JSON's strings are TOML's, but for escapes in pairs."""
    said = ", ".join(json.dumps(word, ensure_ascii=False) for word in words)
    return f"{key} = [{said}]".replace("\x7f", "\\u007f")


def put(text: str, key: str, words: Sequence[str]) -> str:
    """The text with the line before everything else: a key behind a table would belong to it."""
    ending = "\r\n" if "\r\n" in text else "\n"
    return line(key, words) + ending + text


def take_out(text: str, key: str, ours: Callable[[object], bool]) -> str:
    """The text without the line of that key if its value is ours."""
    if not ours(parse(text).get(key)):
        return text
    rows = text.splitlines(keepends=True)
    for number, row in enumerate(rows):
        if row.startswith(f"{key} = ["):
            return "".join(rows[:number] + rows[number + 1 :])
    return text
