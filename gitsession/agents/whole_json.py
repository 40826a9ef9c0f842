"""A whole-file JSON document as records: its head, each item of one container, its tail.

A program that rewrites such a file each time keeps its earlier part: a longer file begins with the
records of a shorter one, all but the tail. Joined, the records are the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from gitsession.agents.lenient import mend_surrogates

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n,]*")
_OPENS, _CLOSES = {"[": "]", "{": "}"}, {"[": "]}", "{": "}}"}


class Piece(NamedTuple):
    """One parsed record: `kind` is head, item or tail.

    `value` is its JSON: for a head or tail the members in it, for an item of an object an object
    with that one member.
    """

    kind: str
    value: Any
    damaged: bool = False


def records(data: bytes, key: str) -> Iterator[bytes]:
    """Yield the records of a document.

    Its container is the member `key` of the outermost object, or (for "") the list that is the
    document itself. Joined they are `data`, however damaged it is; without such a container there
    is one record.
    """
    text = data.decode("utf-8", "surrogateescape")
    done = 0
    for end in _ends(text, key):
        yield text[done:end].encode("utf-8", "surrogateescape")
        done = end
    if done < len(text):
        yield text[done:].encode("utf-8", "surrogateescape")


def elements(data: bytes) -> Iterator[bytes]:
    """Yield the exact bytes of each item of a document that is one list."""
    text = data.decode("utf-8", "surrogateescape")
    at = _skip(text.removeprefix("\ufeff"), 0) + text.startswith("\ufeff")
    if text[at : at + 1] != "[":
        return
    at += 1
    while True:
        start = _skip(text, at, _BETWEEN)
        try:
            _, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield text[start:at].encode("utf-8", "surrogateescape")


def piece_of(data: bytes, opens: str = "[") -> Piece:
    """Parse one record from `records`; `opens` is the bracket that opens the container."""
    text = mend_surrogates(data)[0].decode("utf-8", "replace").strip().removeprefix("\ufeff")
    if text in ("[", "]"):
        return Piece("head" if text == "[" else "tail", {})
    if text.startswith("{") and text.endswith(opens):
        return _piece("head", text + _CLOSES[opens])
    if text.startswith(_OPENS[opens]):
        return _piece("tail", '{"":' + opens + text)
    text = _BETWEEN.sub("", text, count=1)
    if opens == "{" and text.startswith('"'):
        text = "{" + text + "}"
    return _piece("item", text) if text else Piece("item", {})


def _piece(kind: str, text: str) -> Piece:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Piece(kind, {}, True)
    if kind == "tail":
        value.pop("")
    return Piece(kind, value)


def tail_replaced(stored: bytes, native: bytes, opens: str = "[") -> bool:
    """Whether the stored record is the tail of an earlier, shorter version of the file."""
    mark = _OPENS[opens].encode()
    return stored.lstrip().startswith(mark) and native != stored


def _ends(text: str, key: str) -> Iterator[int]:
    """Yield the positions where the head and each complete item end."""
    at, opens = _container(text, key)
    if at < 0:
        return
    yield at
    while True:
        start = _skip(text, at, _BETWEEN)
        if text[start : start + 1] in ("", _OPENS[opens]):
            return
        try:
            if opens == "{":
                _, start = _DECODER.raw_decode(text, start)
                start = _skip(text, start)
                if text[start : start + 1] != ":":
                    return
                start = _skip(text, start + 1)
            _, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield at


def _container(text: str, key: str) -> tuple[int, str]:
    """Return the position after the bracket that opens the container, and the bracket, or -1."""
    at = _skip(text, 0)
    if text[at : at + 1] == "\ufeff":
        at = _skip(text, at + 1)
    if not key and text[at : at + 1] == "[":
        return at + 1, "["
    if text[at : at + 1] != "{":
        return -1, "["
    at += 1
    try:
        while True:
            name, at = _DECODER.raw_decode(text, _skip(text, at, _BETWEEN))
            at = _skip(text, at)
            if text[at : at + 1] != ":" or not isinstance(name, str):
                return -1, "["
            at = _skip(text, at + 1)
            if name == key and text[at : at + 1] in _OPENS:
                return at + 1, text[at]
            _, at = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return -1, "["


def _skip(text: str, at: int, what: re.Pattern[str] = _SPACE) -> int:
    match = what.match(text, at)
    return match.end() if match else at
