"""The user's or project's additions to the rules: `redaction.yaml` as a value.

A project's file is untrusted data: until it is trusted it may only add (rules, categories, words),
and every pattern is bounded, so that no text can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from gitsession.errors import FormatError
from gitsession.redaction.private import CATEGORIES, WORD
from gitsession.redaction.repeats import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = tuple[str, tuple[bytes, ...], bytes, bytes, int, bool, bool, tuple[bytes, ...]]

_ID = re.compile(r"[a-z][a-z0-9-]{1,40}")
_PLACEHOLDER = re.compile(r"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8}__")
_MOST = 500
_LONGEST = 1000
_STEPS = 1 << 16
_STEPS_IN_ALL = 1 << 18
"""Steps that one pattern, and all of a file together, may take per anchor: a few milliseconds."""
_LISTS = ("rules", "categories", "words", "allow", "allow_paths", "attach")


@dataclass(frozen=True, slots=True)
class Settings:
    """`rules` are rows as in compiled.py; `categories` the private data that is masked too,
    including `words`; `allow` the placeholders of values that stay, `allow_paths` the files that
    are not scanned, `attach` the files that are kept although their names suggest secrets."""

    rules: tuple[Row, ...] = ()
    categories: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()
    allow_paths: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Settings()

    def and_also(self, other: Settings, *, trusted: bool) -> Settings:
        """Combine with a project's settings; from untrusted ones take only what adds."""
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
        """Eight hex digits that change with any of these settings, "" if there are none."""
        if not self:
            return ""
        import hashlib

        return hashlib.sha256(repr(self._ordered()).encode()).hexdigest()[:8]

    def _ordered(self) -> tuple[object, ...]:
        return (self.rules, sorted(self.categories), self.words, sorted(self.allow),
                self.allow_paths, self.attach)  # fmt: skip


def settings_in(document: object, place: str) -> Settings:
    """Settings from the mapping in a file; `place` names it in errors. Raises FormatError."""
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
        rules=_rules(values["rules"], place),
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
    """One rule in the engine's form. Raises FormatError if it is wrong or could be slow."""
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
    _check_pattern(name, pattern, place)
    near = _texts(_list(rule, "near", place), "near", place)
    return (
        name, tuple(one.encode() for one in literals), pattern.encode(), b"", 0,
        False, bool(rule.get("random")), tuple(one.encode() for one in near),
    )  # fmt: skip


def _check_pattern(name: str, pattern: str, place: str) -> None:
    most = steps(pattern.encode()) if len(pattern) <= _LONGEST else None
    if most is None:
        raise _wrong(place, f"the pattern of {name} is no expression with bounded repeats, like "
                            "[a-z0-9]{20,40}, none inside another")  # fmt: skip
    if most > _STEPS:
        raise _wrong(place, f"the pattern of {name} could be slow: what its repeats and "
                            "alternatives take can be cut in too many ways")  # fmt: skip


def _rules(rows: list[Any], place: str) -> tuple[Row, ...]:
    rules = tuple(_row(row, place) for row in rows)
    if sum(steps(row[2]) or 0 for row in rules) > _STEPS_IN_ALL:
        raise _wrong(place, "all its patterns together could be slow: shorten their repeats")
    return rules


def _wrong(place: str, what: str) -> FormatError:
    return FormatError(
        f"{place} cannot be used: {what}",
        hint="correct it as the reference on configuration shows, or move it away",
    )
