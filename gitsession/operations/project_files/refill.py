"""A stored file beside the one on the disk: the same but for what was masked? What was masked?

There is no vault: the only place where a masked value can be had back is the file itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from gitsession.operations.placeholders import PLACEHOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction import Redactor

    Values = Mapping[bytes, bytes]

_TRIES = 64
_LONGEST = 64 << 10
"""Bytes of one masked value."""


def values_in(stored: bytes, disk: bytes, names: Redactor) -> Values | None:
    """Placeholder -> value, where the file on the disk is the stored one with values in place of
    its placeholders, each checked by its keyed hash; None if it is another one."""
    found = list(PLACEHOLDER.finditer(stored))
    if not found:
        return {} if stored == disk else None
    if not disk.startswith(stored[: found[0].start()]):
        return None
    at = found[0].start()
    values: dict[bytes, bytes] = {}
    for number, match in enumerate(found):
        is_last = number + 1 == len(found)
        literal = stored[match.end() : len(stored) if is_last else found[number + 1].start()]
        value = _value(disk, at, match.group(), literal, is_last, values, names)
        if value is None:
            return None
        values[match.group()] = value
        at += len(value) + len(literal)
    return values if at == len(disk) else None


def _value(
    disk: bytes, at: int, placeholder: bytes, literal: bytes, is_last: bool, values: Values,
    names: Redactor,
) -> bytes | None:  # fmt: skip
    """The value that begins there and is followed by `literal`."""
    for known in (values.get(placeholder), placeholder):
        if known and disk.startswith(known + literal, at):
            return known
    if is_last:
        end = len(disk) - len(literal)
        value = disk[at:end]
        right = end > at and disk[end:] == literal and _is(value, placeholder, names)
        return value if right else None
    end = at
    for _ in range(_TRIES if literal else 0):
        end = disk.find(literal, end + 1, at + _LONGEST + len(literal))
        if end < 0:
            return None
        if _is(disk[at:end], placeholder, names):
            return disk[at:end]
    return None


def _is(value: bytes, placeholder: bytes, names: Redactor) -> bool:
    """By the hash alone: by itself a value may be found under another rule than in its place."""
    if len(value) > _LONGEST:
        return False
    rule, _, digits = placeholder[len(b"__REDACTED_") : -2].decode("ascii").rpartition("_")
    return names.named(value, rule)[:-2].endswith(f"_{digits}")


def filled(stored: bytes, values: Values) -> bytes | None:
    """The stored file with the values; None where one is not known."""
    if any(found not in values for found in PLACEHOLDER.findall(stored)):
        return None
    return PLACEHOLDER.sub(lambda match: values[match.group()], stored)
