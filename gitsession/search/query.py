"""What to search for: words and phrases, and whether a text contains one of them."""

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
    Wanted.__doc__ = """A word, or several as a `phrase`; `exact` means as written, including case,
    and in no other form."""

_QUOTED = re.compile(r'"([^"]*)"?|([^\s"]+)')
Span = tuple[int, int]
MOST_SPANS = 100
MOST_WORDS = 50


def parse(said: Iterable[str], *, exact: bool = False) -> tuple[Wanted, ...]:
    """Return the words and phrases to search for. A text with spaces is a phrase; in a text with
    double quotes, these mark the phrases. Raises UsageError if there is nothing to search for, or
    more than 50 words."""
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
    """Return the first places (at most 100) where a text contains what is wanted: as written or, if
    nowhere, by the stems of its words."""
    found = list(islice(_literal(wanted, text), MOST_SPANS))
    if found or wanted.exact:
        return found
    return list(islice(_by_stems(wanted, text), MOST_SPANS))


def holds(wanted: Wanted, text: str) -> bool:
    """Whether a text contains it in any form."""
    return holds_literally(wanted, text) or (not wanted.exact and any(_by_stems(wanted, text)))


def holds_literally(wanted: Wanted, text: str) -> bool:
    """Whether a text contains it literally, ignoring case unless `exact`. Part of a word has to
    have at least three letters."""
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
    """Return the stems of the text's words, in order."""
    return tuple(word.stem for word in texts.words(text))
