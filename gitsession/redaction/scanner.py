"""Scanning single strings, with a memory of those already judged clean."""

from __future__ import annotations

from gitsession.digests import blake2b
from gitsession.redaction.budget import Exhausted
from gitsession.redaction.engine import Engine
from gitsession.redaction.learned import Learned
from gitsession.redaction.patterns import Span
from gitsession.redaction.placeholders import UNSCANNED, Placeholders
from gitsession.redaction.recall import Recalled
from gitsession.redaction.spans import merge, outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.settings import Settings

SHORTEST = 6
"""A shorter string cannot contain a secret that is distinguishable from a word."""
_MOST_REMEMBERED = 200_000
_MOST_WORDS = 20_000
_MOST_CALM = 5_000
_LONGEST_WORD = 4096
_LONGEST_PLAIN_ID = 40
_SHORT_ID, _LONGEST_TIME = 16, 35
_IN_HEX_IDS = b"0123456789abcdef-"
_IN_TIMES = b"0123456789T:.+-"


class Scanner:
    """The engine, with all that was learned, recalled and found clean; use one per run."""

    def __init__(
        self, placeholders: Placeholders, fast: bool = True, settings: Settings | None = None
    ) -> None:
        self.learned = Learned(fast)
        self._placeholders = placeholders
        self._settings = settings
        self.recalled = Recalled(placeholders)
        self.unscanned = 0
        self._engine = Engine(placeholders, self.learned, fast, settings.rules if settings else ())
        self._clean: set[bytes] = set()
        self._words: dict[tuple[str, str, bool], list[Span]] = {}
        self._words_version = 0
        self._calm: set[tuple[str, str]] = set()
        self._calm_version = 0

    @property
    def disguised(self) -> bool:
        """Whether the last scanned string was escaped, coloured or encoded somewhere."""
        return self._engine.disguised

    def learn(self) -> None:
        """Learn the values heard since the last call."""
        for rule, value in self._engine.heard:
            if not self._is_allowed(value, rule):
                self.learned.add(value, rule)
        self._engine.heard.clear()

    def judged(self) -> set[bytes]:
        """The memory of clean strings, for another scanner to `take`."""
        return self._clean

    def take(self, judged: set[bytes], unscanned: int) -> None:
        """Take over what another scanner found clean, and how many strings it could not scan."""
        if len(self._clean) + len(judged) < _MOST_REMEMBERED:
            self._clean |= judged
        self.unscanned += unscanned

    def forget(self) -> None:
        """Drop what was heard and judged, so that the next text is scanned like the first."""
        self._engine.heard.clear()
        self._clean.clear()
        self._words.clear()
        self._calm.clear()

    def word(self, text: str, name: str = "", *, exact: bool = False) -> list[Span]:
        """The result of `text` or `exact` for a value that recurs with every turn: it is reused
        until something more is learned. Do not modify it."""
        if self._words_version != self.learned.version or self.recalled:
            self._words.clear()
            self._words_version = self.learned.version
        key = (text, name, exact)
        found = self._words.get(key)
        if found is None:
            data = text.encode("utf-8", "surrogatepass")
            found = self.exact(data) if exact else self.text(data, name)
            if len(text) <= _LONGEST_WORD:
                if len(self._words) >= _MOST_WORDS:
                    self._words.clear()
                self._words[key] = found
        return found

    def calm(self) -> set[tuple[str, str]]:
        """(text, member) pairs without any finding; emptied once more has been learned."""
        if self._calm_version != self.learned.version or self.recalled:
            self._calm.clear()
            self._calm_version = self.learned.version
        return self._calm

    def keep_calm(self, text: str, name: str) -> None:
        """Add to `calm`, which must have been called since something was learned."""
        if len(text) <= _LONGEST_WORD:
            if len(self._calm) >= _MOST_CALM:
                self._calm.clear()
            self._calm.add((text, name))

    def text(self, data: bytes, name: str = "") -> list[Span]:
        """Spans to mask in one string; all of it if it costs too much to scan. `name` is the JSON
        member that holds it."""
        if len(data) < SHORTEST:
            return []
        member = name.encode("utf-8", "surrogatepass") if name else b""
        if member and not self._engine.key_words(member):
            member = b""
        mark = digest(data, member)
        if mark in self._clean and not self.learned.stands_in(data):
            return self.recalled.find(data)
        try:
            found = self._engine.find(data, member)
        except Exhausted:
            self.unscanned += 1
            return [(0, len(data), UNSCANNED)]
        if self._settings:
            found = self._as_set(data, found)
        if not found and not self._engine.disguised:
            remember(self._clean, mark)
        return self.recalled.added_to(data, found)

    def _as_set(self, data: bytes, found: list[Span]) -> list[Span]:
        """Add the private data that the user wants masked, and remove what the user allows."""
        assert self._settings is not None
        if self._settings.categories:
            from gitsession.redaction.private import private_spans

            private = private_spans(data, self._settings.categories, self._settings.words)
            found = merge([*found, *outside(private, self._placeholders.spans(data))])
        return [
            (start, end, rule)
            for start, end, rule in found
            if not self._is_allowed(data[start:end], rule)
        ]

    def _is_allowed(self, value: bytes, rule: str) -> bool:
        allow = self._settings.allow if self._settings else ()
        return bool(allow) and self._placeholders.name(value, rule) in allow

    def exact(self, data: bytes) -> list[Span]:
        """Spans found by anchored rules, in a value that must otherwise stay byte-exact."""
        if len(data) <= _LONGEST_PLAIN_ID and _is_plain_id(data):
            return []
        try:
            return self._engine.find_vendor(data)
        except Exhausted:
            self.unscanned += 1
            return [(0, len(data), UNSCANNED)]

    def joined(self, data: bytes) -> list[Span]:
        """Spans in the few bytes around a border, ignoring what was learned from its two sides."""
        try:
            return self._engine.find_fresh(data)
        except Exhausted:  # pragma: no cover (so few bytes cannot cost so much)
            return []


def _is_plain_id(data: bytes) -> bool:
    """Whether it is a UUID, short word or time, like most ids; no anchored rule matches those."""
    if not data.translate(None, _IN_HEX_IDS) or (len(data) <= _SHORT_ID and b"_" not in data):
        return True
    time = data.removesuffix(b"Z")
    return _SHORT_ID <= len(time) <= _LONGEST_TIME and not time.translate(None, _IN_TIMES)


def digest(data: bytes, name: bytes = b"") -> bytes:
    """Represents a string (and the member it is judged by) in the memory of clean ones."""
    if len(data) < 64:
        return name + b"\x00" + data
    state = blake2b(name, digest_size=16)
    state.update(data)
    return state.digest()


def remember(memory: set[bytes] | set[str], mark: object) -> None:
    """Add to a memory that is cleared when full."""
    if len(memory) >= _MOST_REMEMBERED:
        memory.clear()
    memory.add(mark)  # type: ignore[arg-type]
