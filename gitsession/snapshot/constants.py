"""Fields that repeat in every record: which value is in force from which turn blob on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from gitsession.snapshot.limits import CONSTANT, CONSTANT_CHANGES, CONSTANT_FIELDS

Ranges = tuple[tuple[int, Mapping[str, str]], ...]
"""(from blob, {field: raw escaped value}), ascending; a field keeps its value until named again."""

Values = Mapping[str, bytes]
"""Constants in force: field to the raw bytes between the quotes."""

_FROM = "from"
"""Names the blob in session.yaml, so it cannot be a field."""
_LONGEST_NAME = 64
# As texts, compiled (and kept by `re`) at first use: nearly all names and values are plain.
_NAME = r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"
_VALUE = rb"[^\x00-\x1f\x7f\"\\]*+(?:\\[ -~][^\x00-\x1f\x7f\"\\]*+)*+"


def by_blob(ranges: Ranges, count: int, start: Values) -> Iterator[tuple[int, Values]]:
    """(blob, values in force) for each of `count` blobs; the same object as long as nothing
    changes. `start` is what holds before the first range."""
    values = start
    left = list(reversed(ranges))
    for blob in range(count):
        while left and left[-1][0] <= blob:
            _, changed = left.pop()
            values = {**values, **{name: value.encode() for name, value in changed.items()}}
        yield blob, values


def in_force(ranges: Ranges, blob: int, start: Values) -> dict[str, bytes]:
    """The values that hold for that turn blob."""
    values = dict(start)
    for first, changed in ranges:
        if first > blob:
            break
        values.update((name, value.encode()) for name, value in changed.items())
    return values


def update(
    ranges: Ranges,
    blob: int,
    fields: Iterable[str],
    records: Sequence[bytes],
    start: Values,
    members: Sequence[bytes] = (),
) -> Ranges:
    """`ranges` with what the turn that starts at that blob changes: for each field the value in
    its first record that has the field, so that it follows from the records alone. `members`, if
    given, are less to read than the records and hold every `"field":` that these hold."""
    values = in_force(ranges, blob, start)
    changed: dict[str, str] = {}
    for field, start_of in _usable(tuple(fields)):
        if members and not any(start_of in some for some in members):
            continue
        value = _first(start_of, records)
        if value is None or values.get(field) == value.encode():
            continue
        if sum(field in named for _, named in ranges) < CONSTANT_CHANGES:
            changed[field] = value
    return (*ranges, (blob, changed)) if changed else ranges


@lru_cache(maxsize=32)
def _usable(fields: tuple[str, ...]) -> list[tuple[str, bytes]]:
    """Each field that can be named in session.yaml, with the bytes before its value."""
    return [
        (field, b'"%s":' % field.encode())
        for field in sorted(set(fields))[:CONSTANT_FIELDS]
        if field != _FROM and _is_name(field)
    ]


def _is_name(field: str) -> bool:
    if field.isidentifier() and field.isascii() and len(field) <= _LONGEST_NAME:
        return True
    return re.fullmatch(_NAME, field) is not None


def _first(start: bytes, records: Sequence[bytes]) -> str | None:
    for record in records:
        found = record.find(start)
        if found < 0:
            continue
        position = found + len(start)
        position += record.startswith(b" ", position)
        if not record.startswith(b'"', position):
            continue
        value = _value(record, position + 1)
        if value is not None:
            return _liftable(value)
    return None


def _value(record: bytes, start: int) -> bytes | None:
    """What stands from there to the closing quote, if it is the inside of a JSON string."""
    end = record.find(b'"', start, start + CONSTANT)
    value = record[start:end] if end >= 0 else b"\\"
    if b"\\" not in value and value.isascii() and value.decode().isprintable():
        return value  # as nearly all are
    match = re.compile(_VALUE).match(record, start)
    if match is None or not record.startswith(b'"', match.end()):
        return None
    return match.group()


def _liftable(value: bytes) -> str | None:
    if not value or len(value) > CONSTANT:
        return None
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None
