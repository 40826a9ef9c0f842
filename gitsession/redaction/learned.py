"""Learned values: once found to be secret, a value is masked wherever it occurs, even on its own.

They exist only in memory during the run and never reach the disk.
"""

from __future__ import annotations

from gitsession.redaction.anchors import Finder, longest
from gitsession.redaction.patterns import Span
from gitsession.redaction.spans import generality
from gitsession.redaction.words import is_stand_in

SHORTEST = 8
_OF_NUMBERS = b"0123456789.+-eE"
_LONGEST = 32 << 10
"""Longer values are encodings, which are decoded and scanned wherever they occur."""


class Learned:
    """Values, each with the rule that first found it (a more specific one takes precedence).
    `numbers` are those that JSON may contain without quotes."""

    __slots__ = (
        "_fast", "_find", "_find_raw", "_names", "_raw_version", "_rules", "numbers", "version",
    )  # fmt: skip

    def __init__(self, fast: bool = True) -> None:
        self._fast = fast
        self._rules: dict[bytes, str] = {}
        self._names: list[str] = []
        self._find: Finder | None = None
        self._find_raw: Finder | None = None
        self._raw_version = 0
        self.numbers: set[bytes] = set()
        self.version = 0

    def __len__(self) -> int:
        return len(self._rules)

    def add(self, value: bytes, rule: str, always: bool = False) -> None:
        """Learn a value; `always` if somebody declared it secret, whatever it looks like."""
        if b"__REDACTED_" in value or not value:
            return
        if not always and (not SHORTEST <= len(value) <= _LONGEST or is_stand_in(value)):
            return
        known = self._rules.get(value)
        if known is None or generality(rule) < generality(known):
            self._rules[value] = rule
            self._find = None
            self.version += 1
            if not value.translate(None, _OF_NUMBERS):
                self.numbers.add(value)

    def rule(self, value: bytes, rule: str) -> str:
        """The rule under which this value was learned, so that it keeps one name."""
        known = self._rules.get(value)
        if known is None or generality(rule) < generality(known):
            return rule
        return known

    def rules(self) -> dict[bytes, str]:
        """The rule of each value, in the order in which they were learned."""
        return dict(self._rules)

    def values(self) -> list[bytes]:
        return list(self._rules)

    def stands_in(self, data: bytes) -> bool:
        """Whether a value occurs in text or raw JSON, plain or escaped once or twice."""
        if not self._rules:
            return False
        if self._find_raw is None or self._raw_version != self.version:
            self._find_raw = longest(list(self._spellings()), self._fast)
            self._raw_version = self.version
        return next(iter(self._find_raw(data)), None) is not None

    def _spellings(self) -> dict[bytes, None]:
        import json

        forms: dict[bytes, None] = {}
        for value in self._rules:
            text = value.decode("utf-8", "replace")
            for ascii_only in (False, True):
                spelled = text
                for _ in range(3):
                    forms[spelled.encode()] = None
                    spelled = json.dumps(spelled, ensure_ascii=ascii_only)[1:-1]
        return forms

    def occurs_in(self, text: bytes) -> bool:
        """Whether a value occurs in a text unescaped."""
        if not self._rules:
            return False
        found: list[Span] = []
        self.find(text, found)
        return bool(found)

    def find(self, text: bytes, found: list[Span]) -> None:
        if not self._rules:
            return
        if self._find is None:
            self._names = list(self._rules.values())
            self._find = longest(list(self._rules), self._fast)
        for index, start, end in self._find(text):
            found.append((start, end, self._names[index]))
