"""JSON text as its string literals, and the text with some of them edited; nothing else changes.

The values come from the C parser; positions are computed only where something is to be replaced.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from gitsession.redaction.fields import FREE, SPECIAL, is_exact, judged_as
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.views import json_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEY, TEXT, EXACT = 0, 1, 2
_LITERAL = Lazy(rb'(?s)"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_BLANK = "\x00 \t\r\n\ufeff"
_decode = json.JSONDecoder(object_pairs_hook=tuple, strict=False).raw_decode
_decode_long = json.JSONDecoder(object_pairs_hook=tuple, strict=False, parse_int=len).raw_decode
"""For numbers with more digits than Python converts; their values do not matter here."""


Literal = tuple[int, str, int, str, int]
"""One string: its number in the document, its text, its role (KEY, TEXT, EXACT), the member to
judge it by, and for a key the number of its object."""


class Piece:
    """A part of a record: a JSON document with its literals (those worth scanning), or text
    (`literals` is then None)."""

    __slots__ = ("end", "literals", "start", "value")

    def __init__(self, start: int, end: int, value: object, literals: list[Literal] | None) -> None:
        self.start = start
        self.end = end
        self.value = value
        self.literals = literals


def pieces(data: bytes, known: AbstractSet[str] = frozenset(), shortest: int = 0) -> list[Piece]:
    """Split a record into its JSON documents in order (usually one), and text for anything else.

    `known` keys, and strings shorter than `shortest` characters, are not listed. Glued records are
    several documents. From a torn line, too deep nesting, or anything else that is not JSON on, the
    rest is one piece of text.
    """
    text = data.decode("utf-8", "surrogateescape")
    found: list[Piece] = []
    at = byte = 0
    while True:
        begin = _skip_blank(text, at)
        if begin >= len(text):
            return found
        parsed = _document(text, begin, known, shortest)
        if parsed is None:
            found.append(Piece(byte, len(data), None, None))
            return found
        value, strings, stop = parsed
        # The usual case needs no counting: one document, then the line end.
        whole = _skip_blank(text, stop) >= len(text)
        end = len(data) if whole else byte + _size(text[at:stop])
        found.append(Piece(byte, end, value, strings))
        at, byte = stop, end


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _skip_blank(text: str, at: int) -> int:
    size = len(text)
    while at < size and text[at] in _BLANK:
        at += 1
    return at


def _document(
    text: str, at: int, known: AbstractSet[str], shortest: int
) -> tuple[object, list[Literal], int] | None:
    if text[at] not in '{["':
        return None
    try:
        try:
            value, stop = _decode(text, at)
        except json.JSONDecodeError:
            return None
        except ValueError:
            value, stop = _decode_long(text, at)
        return value, literals(value, known, shortest), stop
    except (ValueError, RecursionError):
        return None


def literals(
    value: object, known: AbstractSet[str] = frozenset(), shortest: int = 0
) -> list[Literal]:
    """The strings of a parsed document, including keys, in source order."""
    found: list[Literal] = []
    if isinstance(value, str):
        found.append((0, value, TEXT, "", 0))
    else:
        _collect(value, "", False, found, 0, known, shortest)
    return found


def _collect(
    value: Any,
    name: str,
    free: bool,
    found: list[Literal],
    number: int,
    known: AbstractSet[str],
    shortest: int,
) -> int:
    """Append the strings of a value, `free` if tools and users fill it. Returns the next number."""
    if value.__class__ is list:
        for item in value:
            if item.__class__ is str:
                found.append((number, item, TEXT, name, 0))
                number += 1
            elif item.__class__ is tuple or item.__class__ is list:
                number = _collect(item, name, free, found, number, known, shortest)
        return number
    owner = number
    for member, item in value:
        if member not in known and len(member) >= shortest:
            found.append((number, member, KEY, "", owner))
        number += 1
        if item.__class__ is str:
            if len(item) >= shortest:
                if member in SPECIAL:
                    found.append(_special(number, item, member, value, free))
                else:
                    found.append((number, item, TEXT, member, 0))
            number += 1
        elif item.__class__ is tuple or item.__class__ is list:
            below = free or member in FREE
            number = _collect(item, member, below, found, number, known, shortest)
    return number


def _special(number: int, text: str, name: str, siblings: Any, free: bool) -> Literal:
    role = EXACT if is_exact(name, text, siblings, free) else TEXT
    return number, text, role, judged_as(name, siblings), 0


def places(value: object) -> list[str]:
    """A readable path for every literal of `literals(value)`: `message.content[0].text`."""
    found: list[str] = []

    def walk(value: object, path: str) -> None:
        if isinstance(value, str):
            found.append(path)
        elif isinstance(value, tuple):
            for name, item in value:
                inner = f"{path}.{name}" if path else name
                found.append(f"{path} (key)".strip())
                walk(item, inner)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                walk(item, f"{path}[{index}]")

    try:
        walk(value, "")
    except RecursionError:
        return []
    return found


def spans_of_literals(data: bytes) -> list[tuple[int, int]]:
    """The span inside the quotes of every literal in the document."""
    return [match.span(1) for match in _LITERAL.finditer(data)]


class Edit:
    """A replacement: raw bytes [start, end) become `new`, which is `name`, plus a number for a key
    that would clash. `number` is that of the literal."""

    __slots__ = ("end", "name", "new", "number", "rule", "start")

    def __init__(self, start: int, end: int, rule: str, name: str, number: int) -> None:
        self.start = start
        self.end = end
        self.rule = rule
        self.name = name
        self.number = number
        self.new = name.encode("ascii")


def text_edits(data: bytes, found: Sequence[Span], name: Callable[[bytes, str], str]) -> list[Edit]:
    made = []
    for start, end, rule in found:
        placeholder = name(data[start:end], rule)
        made.append(Edit(start, end, rule, placeholder, 0))
    return made


def edits(
    data: bytes,
    found: Mapping[int, Sequence[Span]],
    name: Callable[[bytes, str], str],
    every: Sequence[Literal],
) -> list[Edit]:
    """The replacements for spans of the decoded text of literals, keyed by literal number."""
    where = spans_of_literals(data)
    taken: dict[int, dict[str, str]] = {}
    made: list[Edit] = []
    for number in sorted(found):
        start, end = where[number]
        view = json_literal(data[start:end])
        first = len(made)
        for begin, stop, rule in found[number]:
            low, high = view.source(begin, stop)
            placeholder = name(view.text[begin:stop], rule)
            made.append(Edit(start + low, start + high, rule, placeholder, number))
        if every[number][2] == KEY:
            _keep_apart(data[start:end], start, made, first, every, number, taken)
    return made


def _keep_apart(
    raw: bytes,
    start: int,
    made: list[Edit],
    first: int,
    every: Sequence[Literal],
    number: int,
    taken: dict[int, dict[str, str]],
) -> None:
    """Two keys of one object must not become equal: the later one gets a number."""
    _, text, _, _, owner = every[number]
    names = taken.get(owner)
    if names is None:
        names = {other: other for _, other, role, _, its in every if role == KEY and its == owner}
        taken[owner] = names
    new = apply(raw, made[first:], start).decode("utf-8", "replace")
    suffix = ""
    count = 2
    while names.get(new + suffix, text) != text:
        suffix = str(count)
        count += 1
    names[new + suffix] = text
    made[-1].new += suffix.encode("ascii")


def apply(data: bytes, made: Sequence[Edit], base: int = 0) -> bytes:
    """Return `data` with the edits applied; their positions count from `base` bytes before it."""
    view = memoryview(data)
    parts: list[bytes | memoryview] = []
    at = 0
    for edit in made:
        parts += (view[at : edit.start - base], edit.new)
        at = edit.end - base
    parts.append(view[at:])
    return b"".join(parts)


def raw_text(data: bytes, piece: Piece, number: int) -> bytes:
    """The text, byte for byte, of a literal with lone surrogates or bytes that are not UTF-8."""
    part = data[piece.start : piece.end]
    start, end = spans_of_literals(part)[number]
    return json_literal(part[start:end]).text
