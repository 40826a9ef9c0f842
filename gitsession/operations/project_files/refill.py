"""Compare a stored file with the one on disk: do they differ only in what was masked, and by which
values?

There is no vault: the file itself is the only place from which a masked value can be recovered.
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
"""The limit for one masked value, in bytes."""


def values_in(stored: bytes, disk: bytes, names: Redactor) -> Values | None:
    """Return placeholder -> value if the file on disk is the stored one with values in place of its
    placeholders, each verified by its keyed hash; None if it is a different file."""
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
    """Return the value that begins at `at` and is followed by `literal`, None if there is none."""
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
    """Whether the value's hash is the placeholder's; its rule is not compared, since a value alone
    may be found by another rule than in its context."""
    if len(value) > _LONGEST:
        return False
    rule, _, digits = placeholder[len(b"__REDACTED_") : -2].decode("ascii").rpartition("_")
    return names.named(value, rule)[:-2].endswith(f"_{digits}")


def filled(stored: bytes, values: Values) -> bytes | None:
    """Return the stored file with the values filled in; None if one is not known."""
    if any(found not in values for found in PLACEHOLDER.findall(stored)):
        return None
    return PLACEHOLDER.sub(lambda match: values[match.group()], stored)
