"""A token written as several adjacent string literals, the way people break long ones in code.

`"a" + "b"` is a view of the whole text (see `views`). What joins literals in other languages
usually means something else, so it is tried only where a token has begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.redaction.lines import Joined
from gitsession.redaction.patterns import Lazy

_BEFORE = 200
_MOST = 40
_WORD = rb"[A-Za-z0-9_.+/=-]"
_END = Lazy(_WORD + rb"{0,200}(?=[\x22\x27`])")
_NEXT = Lazy(
    # PHP and Lua, Visual Basic, SQL, Nix and Elixir, a line end; nothing in Python, C and shells
    rb"[\x22\x27`]\s{0,3}(?:\.{1,2}|&|\|\||~|<>|\+\+|\\\r?\n)?\s{0,80}[\x22\x27`](?P<word>"
    + _WORD
    + rb"{1,300})(?=[\x22\x27`])"
)


def joined_literals(text: bytes, places: Iterable[int]) -> Iterator[Joined]:
    """Yield the literals that contain one of the sorted `places`, with their continuations."""
    done = -1
    for place in places:
        if place < done:
            continue
        first = _END.match(text, place)
        word = _NEXT.match(text, first.end()) if first else None
        if not first or not word:
            continue
        start = text.rfind(b"\n", max(0, place - _BEFORE), place) + 1
        pieces = [(max(start, place - _BEFORE), first.end())]
        while word and len(pieces) < _MOST:
            pieces.append(word.span("word"))
            word = _NEXT.match(text, word.end())
        done = pieces[-1][1]
        yield Joined(text, pieces, False)
