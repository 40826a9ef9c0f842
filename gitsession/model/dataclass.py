"""`dataclass(frozen=…, slots=True)`, `field` and `replace` as in the standard library, for classes
that a save makes: theirs import `inspect` and compile six methods for each class, a third of all
the time that a save takes. `dataclasses.replace`, `fields` and `asdict` know these classes too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field, replace
    from typing import Any
else:

    def dataclass(*, slots, frozen=False):
        """A class with one slot for each annotated name, made from its values in that order."""
        assert slots, "without slots the standard library's is the right one"
        return lambda cls: _slotted(cls, frozen)

    def field(*, default_factory):
        """A default that is made anew for each object."""
        return _Factory(default_factory)

    def replace(value, /, **changes):
        """A copy with some fields changed."""
        kept = {name: getattr(value, name) for name in value.__match_args__ if name not in changes}
        return type(value)(**kept, **changes)


class _Factory:
    """A default in the making."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class _StandardFields:
    """`__dataclass_fields__`, by which the standard library knows a dataclass: made when asked."""

    def __get__(self, _: object, owner: type) -> object:
        from dataclasses import field as standard_field
        from dataclasses import make_dataclass

        rows = [
            (name, kind, standard_field(**_standard_default(owner, name)))
            for name, kind in owner.__annotations__.items()
        ]
        made = make_dataclass(owner.__name__, rows).__dataclass_fields__
        owner.__dataclass_fields__ = made  # type: ignore[attr-defined]
        return made


def _standard_default(owner: Any, name: str) -> dict[str, Any]:
    if name not in owner._defaults:
        return {}
    default = owner._defaults[name]
    if isinstance(default, _Factory):
        return {"default_factory": default.make}
    return {"default": default}


class _Value:
    """What all these classes can do."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # a mutable value has none
    __dataclass_fields__ = _StandardFields()
    _defaults: dict[str, Any] = {}
    _setters: dict[str, Callable[[object, object], None]] = {}

    def __init__(self, *given: object, **named: object) -> None:
        setters = self._setters
        first = dict(zip(setters, given))  # noqa: B905 - the lengths are compared below
        values = {**self._defaults, **first, **named}
        if len(values) != len(setters) or len(first) != len(given) or first.keys() & named.keys():
            raise TypeError(_complaint(self, given, named))
        for name, setter in setters.items():
            value = values[name]
            setter(self, value.make() if type(value) is _Factory else value)

    def __eq__(self, other: object) -> bool:
        return _values(self) == _values(other) if type(other) is type(self) else NotImplemented

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._setters)
        return f"{type(self).__qualname__}({shown})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), _values(self)


class _Frozen(_Value):
    __slots__ = ()

    def __hash__(self) -> int:
        return hash(_values(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete field {name!r}")


def _slotted(cls: type, frozen: bool) -> type:
    """The class again, with slots: they cannot be added to one that stands."""
    names = tuple(cls.__annotations__)
    body = {name: value for name, value in cls.__dict__.items() if name not in _OWN}
    defaults = {name: body.pop(name) for name in names if name in body}
    made: Any = type(cls.__name__, (_Frozen if frozen else _Value,), {
        **body, "__slots__": names, "__match_args__": names, "__qualname__": cls.__qualname__,
        "_defaults": defaults,
    })  # fmt: skip
    made._setters = {name: made.__dict__[name].__set__ for name in names}
    return made  # type: ignore[no-any-return]


_OWN = ("__dict__", "__weakref__")


def _values(value: Any) -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in value._setters])


def _complaint(value: Any, given: tuple[object, ...], named: dict[str, object]) -> str:
    """What is wrong with the arguments."""
    title, names = type(value).__name__, tuple(value._setters)
    if len(given) > len(names):
        return f"{title} takes {len(names)} values, not {len(given)}"
    unknown = [name for name in named if name not in names]
    if unknown:
        return f"{title} has no field {unknown[0]!r}"
    twice = [name for name in names[: len(given)] if name in named]
    if twice:
        return f"{title} has two values for {twice[0]!r}"
    missing = [n for n in names[len(given) :] if n not in named and n not in value._defaults]
    return f"{title} needs a value for {', '.join(missing)}"
