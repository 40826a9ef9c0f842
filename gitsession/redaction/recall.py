"""Findings of earlier saves, recognized by the keyed hashes of their values."""

from __future__ import annotations

from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.spans import merge, outside

_WORD = Lazy(rb"[^\s\x22\x27`<>(){}\[\],;|\\]{4,4096}")
_PART = Lazy(rb"[^=:/@&?#]{4,}")
_PUNCTUATION = b".!?:"


class Recalled:
    """Values known only by length and keyed hash: words of such a length are compared."""

    __slots__ = ("_known", "_lengths", "_placeholders")

    def __init__(self, placeholders: Placeholders) -> None:
        self._placeholders = placeholders
        self._known: dict[str, str] = {}
        self._lengths: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._known)

    def add(self, length: int, mac: str, placeholder: str) -> None:
        if length >= 4 and mac:
            self._known[mac] = placeholder
            self._lengths.add(length)

    def placeholder(self, value: bytes) -> str:
        """The earlier placeholder of exactly these bytes, "" if they are unknown."""
        if len(value) not in self._lengths:
            return ""
        return self._known.get(self._placeholders.mac(value), "")

    def find(self, text: bytes) -> list[Span]:
        if not self._known:
            return []
        found: list[Span] = []
        for word in _WORD.finditer(text):
            begin, end = word.span()
            self._try(text, begin, end, found)
            for part in _PART.finditer(text, begin, end):
                self._try(text, *part.span(), found)
        return merge(found)

    def _try(self, text: bytes, begin: int, end: int, found: list[Span]) -> None:
        """Try the word with and without the punctuation after it."""
        bare = begin + len(text[begin:end].rstrip(_PUNCTUATION))
        found.extend(
            (begin, stop, "recalled")
            for stop in {end, bare}
            if stop - begin in self._lengths and self.placeholder(text[begin:stop])
        )

    def added_to(self, text: bytes, found: list[Span]) -> list[Span]:
        if not self._known:
            return found
        return merge(found + outside(self.find(text), self._placeholders.spans(text)))
