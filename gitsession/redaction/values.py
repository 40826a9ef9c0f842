"""Any plain value (dataclass, mapping, sequence, text) with every text in it made clean."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gitsession.redaction.names import unused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    _T = TypeVar("_T")
_Clean = Callable[[str, str, str], str]
"""Called with a text, the member that holds it and its place; returns the text without secrets."""
_DEEPEST = 200


def cleaned(value: _T, place: str, clean: _Clean, skip: frozenset[str] = frozenset()) -> _T:
    """A copy with clean texts, the very same object where nothing had to change.

    Mapping keys are cleaned too; where two become equal, the later one gets a number. Fields of
    the outermost dataclass named in `skip` are taken over.
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
    if isinstance(value, Mapping):
        return _mapping(value, place, clean, depth)
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
