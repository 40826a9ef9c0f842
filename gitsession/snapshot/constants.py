"""Constants: fields repeated in every record, with the turn blob from which each value is in
force."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from gitsession.snapshot.limits import CONSTANT, CONSTANT_CHANGES, CONSTANT_FIELDS

Ranges = tuple[tuple[int, Mapping[str, str]], ...]
"""(first blob, {field: raw escaped value}), ascending; a value holds until the field is named
again."""

Values = Mapping[str, bytes]
"""The constants in force: field → the raw bytes between the quotes."""

_FROM = "from"
"""The key that names the blob in session.yaml; a field of this name cannot be lifted."""
_LONGEST_NAME = 64
# Kept as text and compiled (and cached by `re`) on first use: nearly all names and values are
# plain.
_NAME = r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"
_VALUE = rb"[^\x00-\x1f\x7f\"\\]*+(?:\\[ -~][^\x00-\x1f\x7f\"\\]*+)*+"


def by_blob(ranges: Ranges, count: int, start: Values) -> Iterator[tuple[int, Values]]:
    """Yield (blob, values in force) for each of `count` blobs, and the same mapping object for as
    long as nothing changes. `start` holds the values before the first range."""
    values = start
    left = list(reversed(ranges))
    for blob in range(count):
        while left and left[-1][0] <= blob:
            _, changed = left.pop()
            values = {**values, **{name: value.encode() for name, value in changed.items()}}
        yield blob, values


def in_force(ranges: Ranges, blob: int, start: Values) -> dict[str, bytes]:
    """Return the values in force for turn blob `blob`."""
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
    """Return `ranges` extended with the changes made by the turn that starts at `blob`: for each
    field, the value in the first record that has the field, so that the result depends on the
    records alone. `members`, if given, is a shorter substitute for searching the records: it
    contains every `"field":` that they contain."""
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
    """Return each field that session.yaml can name, with the bytes that precede its value."""
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
    """Return the bytes from `start` to the closing quote, or None unless they are the inside of a
    JSON string."""
    end = record.find(b'"', start, start + CONSTANT)
    value = record[start:end] if end >= 0 else b"\\"
    if b"\\" not in value and value.isascii() and value.decode().isprintable():
        return value  # nearly always
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
