"""Keeps members of an object apart when their names are redacted."""

from __future__ import annotations

from collections.abc import Mapping


def unused(name: str, taken: Mapping[object, object], source: Mapping[object, object]) -> str:
    """Return `name`, with a number appended if another member already has it."""
    if name in source and name not in taken:
        return name
    number, free = 2, name
    while free in taken or (free != name and free in source):
        free = f"{name}{number}"
        number += 1
    return free
