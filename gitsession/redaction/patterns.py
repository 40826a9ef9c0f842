"""Regular expressions over bytes, compiled on first use, so that importing a rule costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

TYPE_CHECKING = False  # known to type checkers; importing `typing` costs two milliseconds
if TYPE_CHECKING:
    import re

    Match = re.Match[bytes]

_METHODS = ("match", "search", "finditer", "fullmatch", "findall", "sub")


class Lazy:
    """A stand-in for `re.compile(source)`; the first call fills the methods into its slots."""

    __slots__ = ("source", *_METHODS)

    source: bytes
    match: Callable[..., Match | None]
    search: Callable[..., Match | None]
    fullmatch: Callable[..., Match | None]
    finditer: Callable[..., Iterator[Match]]
    findall: Callable[..., list[bytes]]
    sub: Callable[..., bytes]

    def __init__(self, source: bytes) -> None:
        self.source = source

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:
            raise AttributeError(name)
        import re

        compiled = re.compile(self.source)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


Span = tuple[int, int, str]
"""Start, end and rule of something to mask, in bytes of the current text."""
