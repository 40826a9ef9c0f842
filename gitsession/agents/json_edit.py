"""Changes single members in the text of a JSON object and leaves every other character as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


class Member(NamedTuple):
    """One `"key": value` of an object; positions are characters in its text."""

    key: str
    start: int
    value_start: int
    end: int


def members(text: str) -> tuple[list[Member], dict[str, Any]]:
    """Return the members and the value of the object that makes up all of `text`.

    Raises ValueError if the text is not a JSON object.
    """
    found: list[Member] = []
    values: dict[str, Any] = {}
    at = _skip(text, 1)
    if not text.startswith("{"):
        raise ValueError("not an object")
    while text[at : at + 1] != "}":
        start = at
        if text[at : at + 1] != '"':
            raise ValueError("no key")
        key, at = scanstring(text, at + 1, False)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError("no colon")
        value_start = _skip(text, at + 1)
        values[key], end = _DECODER.raw_decode(text, value_start)
        found.append(Member(key, start, value_start, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return found, values


def edited(text: str, found: list[Member], changes: Mapping[str, str | None]) -> str:
    """Return the text with members replaced (by JSON text) or, for None, removed.

    A key that is absent is not added. If a key occurs twice, both are changed.
    """
    if not any(member.key in changes for member in found):
        return text
    kept: list[str] = [text[: found[0].start]]
    between = ""
    for number, member in enumerate(found):
        piece = text[member.start : member.end]
        if member.key in changes:
            value = changes[member.key]
            if value is None:
                continue
            piece = text[member.start : member.value_start] + value
        kept += (between, piece)
        following = found[number + 1].start if number + 1 < len(found) else member.end
        between = text[member.end : following] or ","
    return "".join((*kept, text[found[-1].end :]))


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
