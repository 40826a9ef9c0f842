"""The two forms of a Gemini CLI session: an event log of lines, and the older single JSON object.

The object is written anew as a whole each time. Its records are its head, each message with what
stands before it, and its tail, so that a longer file begins with the records of a shorter one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gitsession.agents.lenient import Parsed, list_of, parse_line, text_of

Event = dict[str, Any]

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n,]*")
_CHANGED = re.compile(rb'("lastUpdated"\s*:\s*")([^"\\]*)')
_MARKS = (b'"sessionId"', b'"projectHash"')


def is_metadata(event: Event) -> bool:
    return isinstance(event.get("sessionId"), str) and isinstance(event.get("projectHash"), str)


def may_be_gemini(head: bytes) -> bool:
    """Whether the first bytes of a file name what every session of this agent names."""
    return all(mark in head for mark in _MARKS)


def is_lines(first: bytes) -> bool:
    """Whether a file of this first line (or record) is an event log."""
    objects = parse_line(first).objects
    return bool(objects) and "messages" not in objects[0]


def object_records(data: bytes) -> Iterator[bytes]:
    """The records of the single object; joined they are `data`, however damaged it is."""
    text = data.decode("utf-8", "surrogateescape")
    done = 0
    for end in _ends(text):
        yield text[done:end].encode("utf-8", "surrogateescape")
        done = end
    if done < len(text):
        yield text[done:].encode("utf-8", "surrogateescape")


def _ends(text: str) -> Iterator[int]:
    """Where the head and each whole message end."""
    at = _messages_start(text)
    if at < 0:
        return
    yield at
    while True:
        start = _skip(text, at, _BETWEEN)
        if text[start : start + 1] != "{":
            return
        try:
            _, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield at


def _messages_start(text: str) -> int:
    """The position after the bracket that opens the list of messages, -1 if there is none."""
    at = _skip(text, 0)
    if text[at : at + 1] == "\ufeff":
        at = _skip(text, at + 1)
    if text[at : at + 1] != "{":
        return -1
    at += 1
    try:
        while True:
            name, at = _DECODER.raw_decode(text, _skip(text, at, _BETWEEN))
            at = _skip(text, at)
            if text[at : at + 1] != ":" or not isinstance(name, str):
                return -1
            at = _skip(text, at + 1)
            if name == "messages" and text[at : at + 1] == "[":
                return at + 1
            _, at = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return -1


def _skip(text: str, at: int, what: re.Pattern[str] = _SPACE) -> int:
    match = what.match(text, at)
    return match.end() if match else at


def parse(data: bytes, *, whole: bool) -> Parsed:
    """The events of a record: a line, or (`whole`) a piece of the single object as an event.

    The head comes out as metadata, a message as itself, the tail as a `$set` of what it names.
    """
    if not whole:
        return parse_line(data)
    text = data.strip()
    if text.startswith(b"]"):
        seen = parse_line(b'{"":[' + text)
        rest = {key: value for event in seen.objects for key, value in event.items() if key}
        return Parsed(({"$set": rest},) if rest else (), seen.damaged)
    if text.startswith(b"{") and text.endswith(b"["):
        return parse_line(text + b"]}")
    return parse_line(text.lstrip(b", \t\r\n"))


def settled(data: bytes) -> bytes:
    """The head of a single object without the time of its last change, which each writing
    replaces; every other record as it is. The length stays."""
    text = data.strip()
    if not (text.startswith(b"{") and text.endswith(b"[") and may_be_gemini(data)):
        return data
    return without_change_time(data)


def superseded(stored: bytes, native: bytes) -> bool:
    """Whether both are messages of a single object with one id, and the stored one is shorter: an
    answer is written before its tools run, and then again in its place with their results."""
    if stored.endswith(b"\n") or len(stored) >= len(native):
        return False
    names = [
        text_of(event.get("id"))
        for data in (stored, native)
        for event in parse(data, whole=True).objects
    ]
    return len(names) == 2 and names[0] == names[1] != ""


def without_change_time(data: bytes) -> bytes:
    return _CHANGED.sub(lambda match: match[1] + b"0" * len(match[2]), data)


def messages_in(event: Event) -> list[Event]:
    """The messages of a list that an event sets."""
    return [
        message
        for message in list_of(event.get("messages"))
        if isinstance(message, dict) and text_of(message.get("id"))
    ]
