"""Read parsed metadata from untrusted sources: a value of another type is refused.

Keys that this release does not know are kept as `unknown` and written back with the file.
"""

from __future__ import annotations

from collections.abc import Mapping

from gitsession.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Schema = Mapping[str, object]
"""The known keys; the value is another Schema for a mapping whose inner keys are known as well."""

_LARGEST = 1 << 62


class Fields:
    """A mapping read from the file `name`, with one accessor per type of value."""

    __slots__ = ("_name", "_values")

    def __init__(self, values: object, name: str) -> None:
        if not isinstance(values, Mapping):
            raise FormatError(f"{name} is not a mapping")
        self._values: Mapping[str, Any] = values
        self._name = name

    def _get(self, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        value = self._values.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise FormatError(f"`{key}` in {self._name} has a value of another type")
        return value

    def text(self, key: str) -> str:
        return str(self._get(key, str, ""))

    def number(self, key: str) -> int:
        """Return a count or a position: not negative, and at most `_LARGEST`."""
        value = int(self._get(key, int, 0))
        if not 0 <= value <= _LARGEST:
            raise FormatError(f"`{key}` in {self._name} is out of range")
        return value

    def optional_int(self, key: str) -> int | None:
        value = self._get(key, int, None)
        return None if value is None else int(value)

    def flag(self, key: str, default: bool = False) -> bool:
        return bool(self._get(key, bool, default))

    def texts(self, key: str) -> tuple[str, ...]:
        values = self._get(key, list, [])
        if not all(isinstance(value, str) for value in values):
            raise FormatError(f"`{key}` in {self._name} holds a value of another type")
        return tuple(values)

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self._get(key, dict, {})
        return value if isinstance(value, Mapping) else {}

    def inner(self, key: str) -> Fields:
        return Fields(self.mapping(key), f"`{key}` in {self._name}")

    def each(self, key: str) -> list[Fields]:
        return [Fields(item, f"`{key}` in {self._name}") for item in self._get(key, list, [])]

    def unknown(self, schema: Schema) -> dict[str, Any]:
        return unknown(self._values, schema)


def unknown(values: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the part of `values` that is not in `schema`."""
    rest: dict[str, Any] = {}
    for key, value in values.items():
        if key not in schema:
            rest[key] = value
            continue
        inner = schema[key]
        if isinstance(inner, Mapping) and isinstance(value, Mapping):
            below = unknown(value, inner)
            if below:
                rest[key] = below
    return rest


def with_unknown(values: Mapping[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return `values` with the unknown keys of an earlier read appended after the known ones."""
    merged = dict(values)
    for key, value in rest.items():
        if key not in merged:
            merged[key] = value
        elif isinstance(merged[key], Mapping) and isinstance(value, Mapping):
            merged[key] = with_unknown(merged[key], value)
    return merged


def without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """Drop values that readers assume for an absent key anyway: "", 0, None and empty ones, but not
    False."""
    return {key: value for key, value in values.items() if value or value is False}
