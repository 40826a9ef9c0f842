"""The two formats of a Gemini CLI session: an event log of lines, and the older single JSON object.

The object is rewritten as a whole each time. Its records are its head, each message with the
characters before it, and its tail, so that a longer file begins with the records of a shorter one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gitsession.agents.lenient import Parsed, list_of, parse_line, text_of
from gitsession.agents.whole_json import records

Event = dict[str, Any]

_CHANGED = re.compile(rb'("lastUpdated"\s*:\s*")([^"\\]*)')
_MARKS = (b'"sessionId"', b'"projectHash"')


def is_metadata(event: Event) -> bool:
    return isinstance(event.get("sessionId"), str) and isinstance(event.get("projectHash"), str)


def may_be_gemini(head: bytes) -> bool:
    """Whether the first bytes of a file contain the keys that every session of this agent has."""
    return all(mark in head for mark in _MARKS)


def is_lines(first: bytes) -> bool:
    """Whether a file with this first line (or record) is an event log."""
    objects = parse_line(first).objects
    return bool(objects) and "messages" not in objects[0]


def object_records(data: bytes) -> Iterator[bytes]:
    """Yield the records of the single object; joined they are `data`, however damaged it is."""
    return records(data, "messages")


def parse(data: bytes, *, whole: bool) -> Parsed:
    """Return the events of a record: a line, or (`whole`) a piece of the single object as an event.

    The head comes out as metadata, a message as itself, the tail as a `$set` of its members.
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
    """Return the head of a single object without its modification time, which each write replaces.

    Other records stay as they are. The length never changes.
    """
    text = data.strip()
    if not (text.startswith(b"{") and text.endswith(b"[") and may_be_gemini(data)):
        return data
    return without_change_time(data)


def superseded(stored: bytes, native: bytes) -> bool:
    """Whether both are messages of a single object with one id, and the stored one is shorter.

    An answer is written before its tools run, and then replaced by one with their results.
    """
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
    """Return the messages in the list that an event sets."""
    return [
        message
        for message in list_of(event.get("messages"))
        if isinstance(message, dict) and text_of(message.get("id"))
    ]
