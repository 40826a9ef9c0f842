"""Any plain value (dataclass, mapping, sequence, text): visit every text in it, or copy it with
every text redacted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import repeat

from gitsession.redaction.names import unused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    _T = TypeVar("_T")
    _Calm = AbstractSet[tuple[str, str]]
_Clean = Callable[[str, str, str], str]
"""Called with a text, the member that holds it and its place; returns the text without secrets."""
_Hear = Callable[[str, str], bool]
"""Called with a text and the member that holds it; returns whether something was found in it."""
_DEEPEST = 200
_NO_TEXT = frozenset((int, bool, float, type(None)))


def is_heard(
    value: object, name: str, hear: _Hear, calm: _Calm = frozenset(), depth: int = 0
) -> bool:
    """Whether `hear` finds something in any text of a value; it is not called for texts in `calm`.
    It sees everything that `cleaned` would clean, under the same names, but is faster: it needs no
    places and builds nothing."""
    if isinstance(value, bytes) and depth <= _DEEPEST:
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return bool(value) and (value, name) not in calm and hear(value, name)
    if value.__class__ in _NO_TEXT or depth > _DEEPEST:
        return False
    found = False
    for member, item in _members(value, name):
        if item.__class__ is str:  # inlined, since most are strings, and calm
            if item and (item, member) not in calm:
                found |= hear(item, member)
        elif item and item.__class__ not in _NO_TEXT:
            found |= is_heard(item, member, hear, calm, depth + 1)
    return found


def _members(value: Any, name: str) -> Iterable[tuple[str, Any]]:
    """What a value contains, each with the name to judge it by."""
    if _is_mapping(value):
        keys = [("", key) for key in value if isinstance(key, str)]
        return keys + [(key if isinstance(key, str) else "", item) for key, item in value.items()]
    fields: tuple[str, ...] = getattr(type(value), "__match_args__", ())
    if isinstance(value, tuple) and fields:
        return zip(fields, value, strict=True)
    if isinstance(value, (list, tuple)):
        return zip(repeat(name), value)
    return [(field, getattr(value, field)) for field in fields]


def _is_mapping(value: object) -> bool:
    """Recognizes the usual types without the instance check of an abstract class."""
    return isinstance(value, dict) or (
        not isinstance(value, (tuple, list)) and isinstance(value, Mapping)
    )


def cleaned(value: _T, place: str, clean: _Clean, skip: frozenset[str] = frozenset()) -> _T:
    """Return a copy with redacted texts; the very same object if nothing had to change.

    Mapping keys are redacted too; if two become equal, the later one gets a number. Fields of the
    outermost dataclass named in `skip` are kept as they are.
    """
    return _walk(value, "", place, clean, skip, 0)  # type: ignore[return-value]


def _walk(
    value: object, name: str, place: str, clean: _Clean, skip: frozenset[str], depth: int
) -> object:
    if isinstance(value, str):
        return clean(value, name, place)
    if value is None or isinstance(value, (int, float)) or depth > _DEEPEST:
        return value
    if isinstance(value, bytes):
        text = value.decode("utf-8", "surrogateescape")
        new = clean(text, name, place)
        return value if new is text else new.encode("utf-8", "surrogateescape")
    if _is_mapping(value):
        return _mapping(value, place, clean, depth)  # type: ignore[arg-type]
    fields = getattr(type(value), "__match_args__", ())  # named tuples and dataclasses have it
    if fields:
        return _fields(value, fields, place, clean, skip, depth)
    if isinstance(value, (list, tuple)):
        items = [
            _walk(item, name, f"{place}[{index}]", clean, frozenset(), depth + 1)
            for index, item in enumerate(value)
        ]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else type(value)(items)
    return value


def _fields(
    value: Any, fields: tuple[str, ...], place: str, clean: _Clean, skip: frozenset[str],
    depth: int,
) -> object:  # fmt: skip
    changed = {}
    for name in fields:
        if name in skip:
            continue
        old = getattr(value, name)
        new = _walk(old, name, f"{place}.{name}", clean, frozenset(), depth + 1)
        if new is not old:
            changed[name] = new
    if not changed:
        return value
    if isinstance(value, tuple):
        return value._replace(**changed)  # type: ignore[attr-defined]
    from dataclasses import replace

    return replace(value, **changed)


def _mapping(value: Mapping[object, object], place: str, clean: _Clean, depth: int) -> object:
    made: dict[object, object] = {}
    same = True
    for key, old in value.items():
        name = key if isinstance(key, str) else ""
        new_key = unused(clean(name, "", f"{place} (key)"), made, value) if name else key
        same = same and new_key == key
        inner = f"{place}.{new_key}" if place else str(new_key)
        made[new_key] = _walk(old, name, inner, clean, frozenset(), depth + 1)
        same = same and made[new_key] is old
    return value if same else made
