"""One line at the top of a TOML settings file: added, recognised again, removed exactly."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence


def parse(text: str) -> dict[str, object]:
    """Return the settings; raises ValueError if the text is not TOML."""
    return tomllib.loads(text)


def line(key: str, words: Sequence[str]) -> str:
    """Return `key = ["…", …]`: JSON strings are TOML strings but for escaped surrogate pairs."""
    said = ", ".join(json.dumps(word, ensure_ascii=False) for word in words)
    return f"{key} = [{said}]".replace("\x7f", "\\u007f")


def put(text: str, key: str, words: Sequence[str]) -> str:
    """Return the text with the line first: after a table header it would belong to the table."""
    ending = "\r\n" if "\r\n" in text else "\n"
    return line(key, words) + ending + text


def take_out(text: str, key: str, ours: Callable[[object], bool]) -> str:
    """Return the text without the line for that key if its value is ours."""
    if not ours(parse(text).get(key)):
        return text
    rows = text.splitlines(keepends=True)
    for number, row in enumerate(rows):
        if row.startswith(f"{key} = ["):
            return "".join(rows[:number] + rows[number + 1 :])
    return text
