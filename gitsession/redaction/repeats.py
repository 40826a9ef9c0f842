"""How many steps a foreign regular expression may take at one place of a text, whatever the text.
Bounding its repeats is not enough, since each multiplies the cost of what follows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Items = Sequence[tuple[Any, Any]]

LONGEST = 4096
"""The most repetitions allowed for anything."""
_TOO_MANY = 1 << 40
_ALL = (1 << 256) - 1
_UNKNOWN = _ALL
_END = 0
"""Nothing follows, so nothing can fail: a repeat at the end is tried once."""
_CLASSES = {"DIGIT": rb"\d", "SPACE": rb"\s", "WORD": rb"\w"}


class _Cost(NamedTuple):
    """`work` is the number of steps of one try; `ways` in how many ways it may succeed, each of
    which is retried when what follows fails."""

    work: int
    ways: int


@cache
def steps(pattern: bytes) -> int | None:
    """The maximum number of steps of one try; None if it is not a valid expression, or has repeats
    that are unbounded or nested."""
    from re import _parser as parser  # type: ignore[attr-defined]

    try:
        folds = re.compile(pattern).flags & re.IGNORECASE
        items = parser.parse(pattern)
        if not all(_is_bounded(str(code), what, False) for code, what in items):
            return None
        return min(_sequence(items, _UNKNOWN if folds else _END, bool(folds)).work, _TOO_MANY)
    except (re.error, OverflowError, RecursionError):
        return None


def _is_bounded(code: str, what: Any, inside: bool) -> bool:
    """Whether all repeats in one item of a parsed expression are bounded; `inside` says that it is
    already within a repeat."""
    if code.endswith("_REPEAT"):
        low, high, body = what
        if inside or not low <= int(high) <= LONGEST:
            return False
        bodies, inside = [body], int(high) > 1
    elif code == "BRANCH":
        bodies = what[1]
    elif code in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        bodies = [what[-1]]
    elif code == "ATOMIC_GROUP":
        bodies = [what]
    else:
        return not code.startswith("GROUPREF")
    return all(_is_bounded(str(inner), more, inside) for body in bodies for inner, more in body)


def _sequence(items: Items, follow: int, folds: bool) -> _Cost:
    """The cost of consecutive items; `follow` is the set of bytes that may come next, as bits."""
    work, ways = 0, 1
    for number, (code, what) in enumerate(items):
        one = _item(str(code), what, _first(items[number + 1 :], follow, folds), folds)
        work += ways * one.work
        ways *= one.ways
        if work > _TOO_MANY or ways > _TOO_MANY:
            return _Cost(_TOO_MANY, _TOO_MANY)
    return _Cost(work, ways)


def _item(code: str, what: Any, follow: int, folds: bool) -> _Cost:
    if code.endswith("_REPEAT"):
        return _repeat(code, int(what[0]), int(what[1]), what[2], follow, folds)
    if code == "BRANCH":
        return _branch(what[1], follow, folds)
    if code == "SUBPATTERN":
        folded = folds or bool(what[1] & re.IGNORECASE)
        return _sequence(what[-1], _UNKNOWN if folded else follow, folded)
    if code in ("ASSERT", "ASSERT_NOT"):
        return _Cost(_sequence(what[-1], _END, folds).work + 1, 1)
    if code == "ATOMIC_GROUP":
        return _Cost(_sequence(what, _END, folds).work + 1, 1)
    return _Cost(1, 1)


def _branch(choices: Sequence[Items], follow: int, folds: bool) -> _Cost:
    """The cost of alternatives: of those that begin with different bytes, at most one succeeds."""
    parts = [_sequence(choice, follow, folds) for choice in choices]
    seen, ways = 0, 0
    for choice, part in zip(choices, parts, strict=True):
        begins = _first(choice, follow or _UNKNOWN, folds)
        ways = ways + part.ways if begins & seen else max(ways, part.ways)
        seen |= begins
    return _Cost(len(parts) + sum(part.work for part in parts), ways)


def _repeat(code: str, low: int, high: int, body: Items, follow: int, folds: bool) -> _Cost:
    """The cost of a repeat: bytes of a class, then one outside of it, match in only one way."""
    inner = _sequence(body, _UNKNOWN, folds)
    if inner.ways == 1:
        work, ways = high * inner.work, high - low + 1
        if len(body) == 1 and not _bytes(body[0], folds) & follow:
            work, ways = 2 * work, 1
    elif high * inner.ways.bit_length() > _TOO_MANY.bit_length() * 2:
        return _Cost(_TOO_MANY, _TOO_MANY)
    else:
        ways = sum(inner.ways**count for count in range(low, high + 1))
        work = high * inner.work * inner.ways**high
    return _Cost(work + 1, 1 if code.startswith("POSSESSIVE") else ways)


def _first(items: Items, follow: int, folds: bool) -> int:
    """The bytes with which the text may continue if these match; all if that is not obvious."""
    if not items:
        return follow
    code, what = str(items[0][0]), items[0][1]
    if code == "SUBPATTERN" and what[-1]:
        return _UNKNOWN if what[1] else _first(what[-1], _UNKNOWN, folds)
    if code.endswith("_REPEAT") and len(what[2]) == 1:
        found = _bytes(what[2][0], folds)
        return found if what[0] else found | _first(items[1:], follow, folds) or _UNKNOWN
    return _bytes(items[0], folds)


def _bytes(item: tuple[Any, Any], folds: bool) -> int:
    code, what = str(item[0]), item[1]
    if folds:
        return _UNKNOWN
    if code == "LITERAL":
        return 1 << int(what)
    if code == "NOT_LITERAL":
        return _ALL ^ (1 << int(what))
    if code != "IN":
        return _UNKNOWN
    found = 0
    for kind, value in what:
        found |= _of_a_class(str(kind), value)
    return _ALL ^ found if str(what[0][0]) == "NEGATE" else found


def _of_a_class(kind: str, value: Any) -> int:
    if kind == "LITERAL":
        return 1 << int(value)
    if kind == "RANGE":
        return (1 << int(value[1]) + 1) - (1 << int(value[0]))
    if kind == "CATEGORY":
        name = str(value).removeprefix("CATEGORY_")
        named = _CLASSES.get(name.removeprefix("NOT_"))
        if named is None:
            return _UNKNOWN
        found = sum(1 << n for n in range(256) if re.match(named, bytes([n])))
        return _ALL ^ found if name.startswith("NOT_") else found
    return 0
