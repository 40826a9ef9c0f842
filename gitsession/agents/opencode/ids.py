"""OpenCode's ids: a kind, a time in twelve hex digits, a tail; they sort as text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MASK = (1 << 48) - 1
_STEPS = 0x1000
"""This many ids of one millisecond can be distinguished."""
_SESSION = re.compile(r"ses_([0-9a-f]{12})\w{14}")
_EPOCH = 1_577_836_800_000


def new_session_id(milliseconds: int, seed: str) -> str:
    """Return `ses_…`; newer ids sort first."""
    return f"ses_{~(milliseconds * _STEPS + 1) & _MASK:012x}{_tail(seed)}"


class NewIds:
    """Ids for the messages and parts of a new session.

    Each sorts after the one before it and all before those that the agent creates from now on: it
    finds the newest message by its id. The digits are too few for a full time and wrap around every
    two years, so ids that kept an old time could sort after the next prompt. The ids follow from
    the session's id alone.
    """

    def __init__(self, native_id: str, count: int) -> None:
        """`count` is the maximum number of ids that will be needed."""
        self._native_id = native_id
        match = _SESSION.fullmatch(native_id)
        newest = ~int(match[1], 16) & _MASK if match else _EPOCH * _STEPS & _MASK
        self._next = newest - count & _MASK

    def new(self, kind: str) -> str:
        """Return the next id for a `msg` or a `prt`."""
        self._next = self._next + 1 & _MASK
        return f"{kind}_{self._next:012x}{_tail(self._native_id, kind, str(self._next))}"


class Renamed:
    """New ids for the old ids of messages, in their order; other links have no new id."""

    def __init__(self, ids: NewIds, messages: Iterable[tuple[str, int]]) -> None:
        """`messages` are the old id of each message and its number of parts."""
        self.messages: list[tuple[str, list[str]]] = []
        self._given: dict[str, str] = {}
        for old, parts in messages:
            name = ids.new("msg")
            self._given.setdefault(old, name)
            self.messages.append((name, [ids.new("prt") for _ in range(parts)]))

    def link(self, old: str) -> str:
        """Return the new id of a message that is carried over, "" for any other."""
        return self._given.get(old, "") if old else ""


def _tail(*seed: str) -> str:
    number = int.from_bytes(hashlib.sha256("\n".join(seed).encode("utf-8", "replace")).digest())
    letters = []
    for _ in range(14):
        number, rest = divmod(number, 62)
        letters.append(_LETTERS[rest])
    return "".join(letters)
