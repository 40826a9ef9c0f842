"""What a user or a project adds to the rules: `redaction.yaml` as a value.

A project's file is foreign data: until it is trusted it may only add (rules, categories, words),
and every pattern is bounded, so that no text can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from gitsession.errors import FormatError
from gitsession.redaction.private import CATEGORIES, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = tuple[str, tuple[bytes, ...], bytes, bytes, int, bool, bool, tuple[bytes, ...]]

_ID = re.compile(r"[a-z][a-z0-9-]{1,40}")
_PLACEHOLDER = re.compile(r"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8}__")
_MOST = 500
_LONGEST = 1000
_REPEAT = 4096
_LISTS = ("rules", "categories", "words", "allow", "allow_paths", "attach")


@dataclass(frozen=True, slots=True)
class Settings:
    """`rules` are rows as in compiled.py; `categories` of private data that are masked too, `words`
    among them; `allow` placeholders of values that stay, `allow_paths` of files that are not
    scanned, `attach` of files that are kept though their name says secret."""

    rules: tuple[Row, ...] = ()
    categories: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()
    allow_paths: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Settings()

    def and_also(self, other: Settings, *, trusted: bool) -> Settings:
        """With a project's: of an untrusted one only what adds."""
        both = replace(
            self,
            rules=self.rules + other.rules,
            categories=self.categories | other.categories,
            words=self.words + other.words,
        )
        if not trusted:
            return both
        return replace(
            both,
            allow=self.allow | other.allow,
            allow_paths=self.allow_paths + other.allow_paths,
            attach=self.attach + other.attach,
        )

    def is_unscanned(self, path: str) -> bool:
        return any(fnmatchcase(path, pattern) for pattern in self.allow_paths)

    def is_attached(self, path: str) -> bool:
        return any(fnmatchcase(path, pattern) for pattern in self.attach)

    def version(self) -> str:
        """Eight digits that change with everything here, "" when there is nothing."""
        if not self:
            return ""
        import hashlib

        return hashlib.sha256(repr(self._ordered()).encode()).hexdigest()[:8]

    def _ordered(self) -> tuple[object, ...]:
        return (self.rules, sorted(self.categories), self.words, sorted(self.allow),
                self.allow_paths, self.attach)  # fmt: skip


def settings_in(document: object, place: str) -> Settings:
    """From the mapping of a file; `place` names it in errors. Raises FormatError."""
    if document is None:
        return Settings()
    if not isinstance(document, Mapping) or set(document) - set(_LISTS):
        raise _wrong(place, f"it is not a mapping with only {', '.join(_LISTS)}")
    values = {name: _list(document, name, place) for name in _LISTS}
    texts = {name: _texts(values[name], name, place) for name in _LISTS if name != "rules"}
    categories = frozenset(texts["categories"])
    if categories - set(CATEGORIES) or not all(map(_PLACEHOLDER.fullmatch, texts["allow"])):
        raise _wrong(place, f"categories are {', '.join(CATEGORIES)}; allow takes placeholders")
    return Settings(
        rules=tuple(_row(rule, place) for rule in values["rules"]),
        categories=categories | ({WORD} if texts["words"] else set()),
        words=texts["words"],
        allow=frozenset(texts["allow"]),
        allow_paths=texts["allow_paths"],
        attach=texts["attach"],
    )


def _list(document: Mapping[str, Any], name: str, place: str) -> list[Any]:
    value = document.get(name) or []
    if not isinstance(value, list) or len(value) > _MOST:
        raise _wrong(place, f"{name} is not a list (of {_MOST} at most)")
    return value


def _texts(values: list[Any], name: str, place: str) -> tuple[str, ...]:
    if not all(isinstance(value, str) and 0 < len(value) <= _LONGEST for value in values):
        raise _wrong(place, f"{name} is not a list of texts")
    return tuple(values)


def _row(rule: Any, place: str) -> Row:
    """One rule as the engine takes it. Raises FormatError for what could be slow or is wrong."""
    if not isinstance(rule, Mapping) or set(rule) - {"id", "anchors", "pattern", "random", "near"}:
        raise _wrong(place, "a rule has id, anchors, pattern and perhaps random, near")
    name, pattern, anchors = rule.get("id"), rule.get("pattern"), rule.get("anchors")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise _wrong(place, "the id of a rule is lower case letters, digits and hyphens")
    if not isinstance(anchors, list) or not anchors or not isinstance(pattern, str):
        raise _wrong(place, f"the rule {name} needs anchors (a list) and a pattern")
    literals = _texts(anchors, "anchors", place)
    if any(len(one) < 3 or one != one.lower() for one in literals):
        raise _wrong(place, f"an anchor of {name} is lower case and has three letters or more")
    if len(pattern) > _LONGEST or not _is_bounded(pattern):
        raise _wrong(place, f"the pattern of {name} is no expression with bounded repeats, like "
                            "[a-z0-9]{20,40}, none inside another")  # fmt: skip
    near = _texts(_list(rule, "near", place), "near", place)
    return (
        name, tuple(one.encode() for one in literals), pattern.encode(), b"", 0,
        False, bool(rule.get("random")), tuple(one.encode() for one in near),
    )  # fmt: skip


def _is_bounded(pattern: str) -> bool:
    """Whether it is an expression whose repeats are bounded and not nested."""
    from re import _parser as parser  # type: ignore[attr-defined]

    try:
        re.compile(pattern.encode())
        return all(_is_bounded_item(str(code), what, False) for code, what in parser.parse(pattern))
    except (re.error, OverflowError, RecursionError):
        return False


def _is_bounded_item(code: str, what: Any, inside: bool) -> bool:
    """One item of a parsed expression; `inside` says that it stands in a repeat already."""
    if code.endswith("_REPEAT"):
        low, high, body = what
        if inside or not low <= int(high) <= _REPEAT:
            return False
        bodies, inside = [body], int(high) > 1
    elif code == "BRANCH":
        bodies = what[1]
    elif code in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        bodies = [what[-1]]
    else:
        return not code.startswith("GROUPREF")
    return all(
        _is_bounded_item(str(inner), more, inside) for body in bodies for inner, more in body
    )


def _wrong(place: str, what: str) -> FormatError:
    return FormatError(
        f"{place} cannot be used: {what}",
        hint="correct it as the reference on configuration shows, or move it away",
    )
