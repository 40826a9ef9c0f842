"""Masked values in bytes: how many there are, and which text a placeholder may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACEHOLDER = re.compile(rb"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8,}__")
_WITH_QUOTES = re.compile(rb'"%s"|%s' % (PLACEHOLDER.pattern, PLACEHOLDER.pattern))
"""A masked JSON number is replaced by a placeholder in quotes of its own."""


def masked_in(contents: Iterable[bytes]) -> int:
    """Return how many different values are masked in these contents."""
    return len({found for data in contents for found in PLACEHOLDER.findall(data)})


def stands_for(stored: bytes, native: bytes) -> bool:
    """Whether a stored text matches a native one, with each placeholder standing for any text."""
    if stored == native:
        return True
    first, *rest = _WITH_QUOTES.split(stored)
    if not rest:
        return False
    last = rest.pop()
    if not native.startswith(first) or not native.endswith(last):
        return False
    at, end = len(first), len(native) - len(last)
    for piece in rest:
        found = native.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return at <= end
