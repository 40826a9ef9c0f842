"""Finding many literals in one pass: with `ahocorasick_rs` if installed, otherwise with a regex.

Both report the same; a property test keeps them in agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Hit = tuple[int, int, int]
"""(index of the literal, start, end)."""
Finder = Callable[[bytes], Iterable[Hit]]
_MUCH = 300_000
"""Bytes of text after which the DFA has paid for its construction."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick


def every(literals: Sequence[bytes], fast: bool = True) -> Finder:
    """Return a finder of all occurrences of all literals, even overlapping, in any order."""
    if fast:
        try:
            from ahocorasick_rs import BytesAhoCorasick
        except ImportError:
            return _every_in_python(literals)
        return _Automaton(literals, BytesAhoCorasick(literals)).find
    return _every_in_python(literals)


class _Automaton:
    """Starts with the automaton that is quick to build; after enough text switches to the DFA,
    which is quick to run."""

    __slots__ = ("_find", "_left", "_literals")

    def __init__(self, literals: Sequence[bytes], automaton: BytesAhoCorasick) -> None:
        self._literals = literals
        self._find: Callable[..., list[Hit]] = automaton.find_matches_as_indexes
        self._left = _MUCH

    def find(self, text: bytes) -> list[Hit]:
        if self._left > 0:
            self._left -= len(text)
            if self._left <= 0:
                from ahocorasick_rs import BytesAhoCorasick, Implementation

                quick = BytesAhoCorasick(self._literals, implementation=Implementation.DFA)
                self._find = quick.find_matches_as_indexes
        return self._find(text, overlapping=True)


def longest(literals: Sequence[bytes], fast: bool = True) -> Finder:
    """Return a finder of leftmost-longest matches of the literals, which never overlap."""
    if fast:
        try:
            from ahocorasick_rs import BytesAhoCorasick, MatchKind
        except ImportError:
            return _longest_in_python(literals)
        automaton = BytesAhoCorasick(literals, matchkind=MatchKind.LeftmostLongest)
        find: Callable[[bytes], Iterable[Hit]] = automaton.find_matches_as_indexes
        return find
    return _longest_in_python(literals)


def _every_in_python(literals: Sequence[bytes]) -> Finder:
    import re

    search = re.compile(_tree(sorted(set(literals)))).search
    inside = _prefixes(literals)

    def find(text: bytes) -> Iterable[Hit]:
        match = search(text)
        while match:
            start = match.start()
            for index, size in inside[match[0]]:
                yield index, start, start + size
            match = search(text, start + 1)

    return find


def _prefixes(literals: Sequence[bytes]) -> dict[bytes, list[tuple[int, int]]]:
    """For every literal, the literals that it starts with (itself included), as (index, size)."""
    places = {literal: index for index, literal in enumerate(literals)}
    return {
        literal: [
            (places[literal[:size]], size)
            for size in range(1, len(literal) + 1)
            if literal[:size] in places
        ]
        for literal in literals
    }


def _longest_in_python(literals: Sequence[bytes]) -> Finder:
    import re

    places = {literal: index for index, literal in enumerate(literals)}
    finditer = re.compile(_tree(sorted(places))).finditer

    def find(text: bytes) -> Iterable[Hit]:
        return [(places[match[0]], *match.span()) for match in finditer(text)]

    return find


def _tree(words: Sequence[bytes]) -> bytes:
    """A pattern for the longest of the sorted words at a position."""
    from re import escape

    branches: list[bytes] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end][:1] == words[at][:1]:
            end += 1
        size = _shared(words[at], words[end - 1])
        rest = [word[size:] for word in words[at:end]]
        ends_here = rest[0] == b""
        more = _tree(rest[1:] if ends_here else rest)
        if more:
            more = b"(?:" + more + b")" + (b"?" if ends_here else b"")
        branches.append(escape(words[at][:size]) + more)
        at = end
    return b"|".join(branches)


def _shared(first: bytes, last: bytes) -> int:
    """Length of the common prefix of two words."""
    size = min(len(first), len(last))
    for at in range(size):
        if first[at] != last[at]:
            return at
    return size
