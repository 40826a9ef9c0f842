"""Count tokens: tiktoken without a network, and the estimators of other programs.

Every counter has a `name`, which is shown with every figure it produces. tiktoken is loaded when
the first text is counted; it gets texts in blocks, because long runs of one character make it slow
or panic.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gitsession.errors import UsageError

if TYPE_CHECKING:
    import tiktoken

    from gitsession.context.known_counts import KnownCounts

BLOCK = 100_000
"""The most characters that tiktoken gets at once."""

_SHORT = 48
"""Texts up to this length are cached by the text itself rather than by a hash."""

_REMEMBERED = 1_000_000


class Counter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class Estimator:
    """A rule of thumb as a counter."""

    def __init__(self, name: str, rule: Callable[[str], int]) -> None:
        self.name = name
        self._rule = rule

    def count(self, text: str) -> int:
        return self._rule(text)


def claw_estimate(text: str) -> int:
    """Return UTF-8 bytes / 4 + 1, in whole numbers: Claw Code's estimate of a block."""
    return len(text.encode("utf-8", "surrogatepass")) // 4 + 1


def opencode_estimate(text: str) -> int:
    """Return UTF-16 units / 4, halves rounded up: OpenCode's estimate."""
    units = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return (units + 2) // 4


def lobe_estimate(text: str) -> int:
    """Return characters / 4 times LobeChat's safety factor of 1.25, rounded up."""
    return -(-len(text) * 5 // 16)


ESTIMATORS: dict[str, Callable[[str], int]] = {
    "bytes/4+1": claw_estimate,
    "chars/4": opencode_estimate,
    "chars/4*1.25": lobe_estimate,
}
ENCODINGS = ("o200k_base", "cl100k_base")
DEFAULT = "o200k_base"


def counter(name: str, cache: Path, key: bytes = b"") -> Counter:
    """Return the counter of that name; `cache` is the folder for rank tables and, with a `key`, for
    earlier counts.

    If the tables are missing, the estimator `bytes/4+1` replaces them and its name says so. Raises
    UsageError for an unknown name.
    """
    if name in ESTIMATORS:
        return Estimator(name, ESTIMATORS[name])
    if name not in ENCODINGS:
        known = ", ".join((*ENCODINGS, *ESTIMATORS))
        raise UsageError(f"there is no token counter {name}", hint=f"one of {known}")
    if not key:
        return Tiktoken(name, cache)
    from gitsession.context.known_counts import KnownCounts

    return Tiktoken(name, cache, KnownCounts(cache / f"{name}.counts", key))


class Tiktoken:
    """One of tiktoken's encodings. Caches counts by hash of the content; with `counts` also beyond
    this process: `remember` writes the new ones."""

    def __init__(self, encoding: str, cache: Path, counts: KnownCounts | None = None) -> None:
        self._wanted = encoding
        self._cache = cache
        self._counts = counts
        self._fresh: dict[bytes, int] = {}
        self._encoding: tiktoken.Encoding | None = None
        self._missing = False
        self._known: dict[str | bytes, int] = {}
        if counts is not None:
            self._known.update(counts.read().items())

    @property
    def name(self) -> str:
        """The encoding's name or, if it cannot be loaded, that of the estimator that replaces
        it."""
        if not self._known:
            self._load()
        missing = f"bytes/4+1 (no tables of {self._wanted} here)"
        return missing if self._missing else f"tiktoken {self._wanted}"

    def count(self, text: str) -> int:
        key: str | bytes = text
        if self._counts is not None:
            key = self._counts.name(text)
        elif len(text) > _SHORT:
            key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = self._known.get(key)
        if found is None:
            found = self._counted(text)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = found
            if isinstance(key, bytes) and not self._missing:
                self._fresh[key] = found
        return found

    def remember(self) -> None:
        """Store the new counts for later processes."""
        if self._counts is not None and self._fresh:
            self._counts.add(self._fresh)
            self._fresh = {}

    def _counted(self, text: str) -> int:
        self._load()
        if len(text) <= BLOCK:
            return self._block(text)
        return sum(self._block(text[at : at + BLOCK]) for at in range(0, len(text), BLOCK))

    def _block(self, text: str) -> int:
        if self._encoding is None:
            return claw_estimate(text)
        try:
            return len(self._encoding.encode_ordinary(text))
        except BaseException as error:
            # A panic in the extension is not an Exception; nothing else may be swallowed.
            if type(error).__name__ != "PanicException":
                raise
            return claw_estimate(text)

    def _load(self) -> None:
        if self._encoding is None and not self._missing:
            from gitsession.context.ranks import load_encoding

            self._encoding = load_encoding(self._wanted, self._cache)
            self._missing = self._encoding is None
