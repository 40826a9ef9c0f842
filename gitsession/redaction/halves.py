"""A known value cut by the border of two strings: the end of one output and the start of the next.

A first or second half on its own proves nothing; if both are stored, both are removed, wherever
they are.
"""

from __future__ import annotations

import re

SHORTEST = 4
"""Bytes of the smaller half: a shorter one would occur in every text."""
LONGEST = 400
_END = re.compile(rb'(?:\\{1,8}[nrt]|\s)*(?:\\{0,8}"|\Z)')
_START = re.compile(rb'(?:\\{0,8}"|\A)(?:\\{1,8}[nrt]|\s)*\Z')
_BEFORE = 64
"""Bytes before a second half that are searched for the start of its string."""


class Halves:
    """First `look` through all contents; then `cuts` are the cuts of which both sides were seen."""

    def __init__(self, value: bytes, placeholder: str) -> None:
        self._value = value
        self._name = placeholder.encode()
        self._ends: set[int] = set()
        self._starts: set[int] = set()

    @property
    def possible(self) -> bool:
        return 2 * SHORTEST <= len(self._value) <= LONGEST

    @property
    def cuts(self) -> set[int]:
        """Lengths of the first halves whose second half is stored too."""
        return self._ends & self._starts

    def look(self, data: bytes) -> bool:
        """Whether a half of the value ends or starts a string here; remembers which."""
        ends = {length for _, length in self._first_halves(data)}
        starts = {length for _, length in self._second_halves(data)}
        self._ends |= ends
        self._starts |= starts
        return bool(ends or starts)

    def stand_in(self, data: bytes) -> bool:
        cuts = self.cuts
        found = [*self._first_halves(data), *self._second_halves(data)] if cuts else []
        return any(length in cuts for _, length in found)

    def replace(self, data: bytes) -> bytes:
        """Replace the halves whose other half is stored somewhere with the placeholder."""
        cuts = self.cuts
        if not cuts:
            return data
        size = len(self._value)
        spans = [(at, at + cut) for at, cut in self._first_halves(data) if cut in cuts]
        spans += [(at, at + size - cut) for at, cut in self._second_halves(data) if cut in cuts]
        for start, end in sorted(set(spans), reverse=True):
            data = data[:start] + self._name + data[end:]
        return data

    def _first_halves(self, data: bytes) -> list[tuple[int, int]]:
        """(position, length) of beginnings of the value that end their string."""
        found, value = [], self._value
        at = data.find(value[:SHORTEST])
        while at >= 0:
            length = SHORTEST
            while (
                length < len(value)
                and data[at + length : at + length + 1] == value[length : length + 1]
            ):
                length += 1
            if length <= len(value) - SHORTEST and _END.match(data, at + length):
                found.append((at, length))
            at = data.find(value[:SHORTEST], at + 1)
        return found

    def _second_halves(self, data: bytes) -> list[tuple[int, int]]:
        """(position, length of the first half) of ends of the value that start their string."""
        found, value = [], self._value
        last = value[-SHORTEST:]
        at = data.find(last)
        while at >= 0:
            cut, start = len(value) - SHORTEST, at
            while cut > 0 and start > 0 and data[start - 1] == value[cut - 1]:
                cut, start = cut - 1, start - 1
            if cut >= SHORTEST and _START.search(data[max(0, start - _BEFORE) : start]):
                found.append((start, cut))
            at = data.find(last, at + 1)
        return found
