"""What is looked for: words and phrases, and whether a text holds one of them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from gitsession.errors import UsageError
from gitsession.search import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import NamedTuple

    class Wanted(NamedTuple):
        text: str
        phrase: bool = False
        exact: bool = False
else:
    from collections import namedtuple

    Wanted = namedtuple("Wanted", "text phrase exact", defaults=(False, False))
    Wanted.__doc__ = """A word, or several as a `phrase`; `exact`: as it is written, case and all,
    and no other form of it."""

_QUOTED = re.compile(r'"([^"]*)"?|([^\s"]+)')
Span = tuple[int, int]
MOST_SPANS = 100
MOST_WORDS = 50


def parse(said: Iterable[str], *, exact: bool = False) -> tuple[Wanted, ...]:
    """What the texts ask for. One with spaces in it is a phrase; in one with double quotes these
    mark the phrases. Raises UsageError where nothing is left to look for."""
    found: list[Wanted] = []
    for text in map(texts.storable, said):
        if exact:
            found.append(Wanted(text, exact=True))
        elif '"' in text:
            parts = [match[1] or match[2] or "" for match in _QUOTED.finditer(text)]
            found += [Wanted(part.strip(), len(part.split()) > 1) for part in parts]
        else:
            found.append(Wanted(text.strip(), len(text.split()) > 1))
    wanted = tuple(dict.fromkeys(one for one in found if one.text.strip()))
    if not wanted:
        raise UsageError("nothing to search for", hint="gitsession search TEXT")
    if len(wanted) > MOST_WORDS:
        raise UsageError(
            f"a search takes at most {MOST_WORDS} words", hint="a few rare words are enough"
        )
    return wanted


def spans(wanted: Wanted, text: str) -> list[Span]:
    """Where a text holds what is wanted first, as written or else by the stems of its words."""
    found = list(islice(_literal(wanted, text), MOST_SPANS))
    if found or wanted.exact:
        return found
    return list(islice(_by_stems(wanted, text), MOST_SPANS))


def holds(wanted: Wanted, text: str) -> bool:
    """Whether a text holds it in any form."""
    return holds_literally(wanted, text) or (not wanted.exact and any(_by_stems(wanted, text)))


def holds_literally(wanted: Wanted, text: str) -> bool:
    """Whether a text holds it letter by letter; of what is not `exact` the case does not count. A
    part of a word has three letters or more."""
    if wanted.exact:
        return wanted.text in text
    part = texts.folded(wanted.text)
    return len(part) >= texts.GRAM and part in texts.folded(text)


def _literal(wanted: Wanted, text: str) -> Iterator[Span]:
    if not wanted.exact and len(texts.folded(wanted.text)) < texts.GRAM:
        return iter(())
    pattern = re.compile(re.escape(wanted.text), 0 if wanted.exact else re.IGNORECASE)
    return (match.span() for match in pattern.finditer(text))


def _by_stems(wanted: Wanted, text: str) -> Iterator[Span]:
    stems = stems_of(wanted.text)
    if not stems:
        return
    near = [texts.Word(0, 0, "")] * len(stems)
    for word in texts.words(text):
        near = [*near[1:], word]
        if word.stem == stems[-1] and all(
            one.stem == stem for one, stem in zip(near, stems, strict=True)
        ):
            yield near[0].start, word.end


@lru_cache(maxsize=256)
def stems_of(text: str) -> Sequence[str]:
    """The stems of its words, in order."""
    return tuple(word.stem for word in texts.words(text))
