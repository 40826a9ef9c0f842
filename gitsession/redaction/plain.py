"""The public functions for texts and JSON values, without a session or store."""

from __future__ import annotations

from collections.abc import Iterable

from gitsession.redaction.compiled import RULES
from gitsession.redaction.fields import FREE, is_exact, judged_as
from gitsession.redaction.names import unused
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.records import RecordReader
from gitsession.redaction.scanner import Scanner
from gitsession.redaction.spans import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")

_RULES = frozenset(row[0] for row in RULES)
_scanners: dict[bytes, tuple[Scanner, Placeholders]] = {}


def _for(key: bytes | None, *, new: bool = False) -> tuple[Scanner, Placeholders]:
    """The scanner and placeholders for a key; without a key, for a random one of this process."""
    if key is None:
        key = _process_key()
    known = _scanners.get(key)
    if known is None or new:
        placeholders = Placeholders(key, _RULES)
        known = (Scanner(placeholders), placeholders)
        if not new:
            _scanners[key] = known
    return known


_drawn = b""


def _process_key() -> bytes:
    global _drawn
    if not _drawn:
        import os

        _drawn = os.urandom(32)
    return _drawn


def redact_text(text: str, key: bytes | None = None) -> str:
    """Return `text` with placeholders for the secrets in it.

    Equal secrets get equal placeholders under the same `key`; without a key they are equal within
    this process. Nothing is remembered between calls.
    """
    scanner, placeholders = _for(key)
    data = text.encode("utf-8", "surrogatepass")
    found = scanner.text(data)
    scanner.forget()
    if not found:
        return text
    return fill(data, found, placeholders.name).decode("utf-8", "surrogatepass")


def redact_json(value: _T, key: bytes | None = None) -> _T:
    """Return a parsed JSON value with redacted strings and keys; signatures and native ids stay."""
    scanner, placeholders = _for(key)
    made = _Value(scanner, placeholders).walk(value, "", (), False)
    scanner.forget()
    return made  # type: ignore[return-value]


def redact_all(texts: Iterable[str], key: bytes | None = None) -> list[str]:
    """Redact the texts of one conversation: what any of them gives away is masked in all, and
    tokens cut by the border of two neighbours are masked in both."""
    scanner, placeholders = _for(key, new=True)
    datas = [text.encode("utf-8", "surrogatepass") for text in texts]
    reader = RecordReader(scanner)
    reader.texts(datas)
    scanner.learn()
    return [
        fill(data, found, placeholders.name).decode("utf-8", "surrogatepass")
        for data, found in zip(datas, reader.texts(datas), strict=True)
    ]


class _Value:
    def __init__(self, scanner: Scanner, placeholders: Placeholders) -> None:
        self._scanner = scanner
        self._placeholders = placeholders

    def walk(self, value: object, name: str, siblings: object, free: bool) -> object:
        if isinstance(value, str):
            pairs = siblings if isinstance(siblings, tuple) else ()
            exact = is_exact(name, value, pairs, free)
            return self._text(value, judged_as(name, pairs), exact)
        if isinstance(value, list):
            return [self.walk(item, name, (), free) for item in value]
        if not isinstance(value, dict):
            return value
        pairs = tuple(value.items())
        free = free or name in FREE
        made: dict[object, object] = {}
        for key, item in pairs:
            new = unused(self._text(key, "", False), made, value) if isinstance(key, str) else key
            made[new] = self.walk(item, str(key), pairs, free)
        return made

    def _text(self, text: str, name: str, exact: bool) -> str:
        data = text.encode("utf-8", "surrogatepass")
        found = self._scanner.exact(data) if exact else self._scanner.text(data, name)
        if not found:
            return text
        return fill(data, found, self._placeholders.name).decode("utf-8", "surrogatepass")
