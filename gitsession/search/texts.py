"""Texts as they are compared: in parts of words, in words, and in words by their stems.

What is compared is a function of single characters (folded case, characters that stand alone set
apart), so that a part of a text is also a part of what is compared.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import filterfalse

from gitsession.search.stems import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple

    class Word(NamedTuple):
        start: int
        end: int
        stem: str
else:
    from collections import namedtuple

    Word = namedtuple("Word", "start end stem")
    Word.__doc__ = "A word of a text: where it stands, and what it is compared by."

_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"  # Thai, Lao, Burmese, jamo, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"  # Han, Hangul
    "\U00020000-\U0003ffff"
)
"""Scripts that put no spaces between words: each character is a word there."""
_EACH_ALONE = re.compile(f"([{_ALONE}])")
_WORDS = re.compile(f"[{_ALONE}]|(?:(?![{_ALONE}])[^\\W_])+(?:[\u0300-\u036f]+[^\\W_{_ALONE}]*)*")
_NO_LETTERS = re.compile("[^\\w\u0300-\u036f]+")
_HALVES = re.compile("[\ud800-\udfff]")
GRAM = 3
"""Characters of the shortest part of a word that can be looked for."""
PIECE = 1 << 20
"""Characters of a text from which on it lies in the index as several."""
_SHARED = 256
"""Characters that two neighbouring pieces share, so that a phrase stands whole in one of them."""


def storable(text: str) -> str:
    """The text as UTF-8 has it: a half surrogate is no character."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def pieces(text: str) -> Iterator[str]:
    """A text in parts that take little memory to index, cut between words where it has spaces."""
    start = 0
    while len(text) - start > PIECE:
        end = start + PIECE
        space = text.rfind(" ", end - _SHARED, end)
        end = space if space >= 0 else end
        yield text[start:end]
        begin = text.find(" ", end - _SHARED, end)
        start = begin + 1 if begin >= 0 else end - _SHARED
    yield text[start:]


def folded(text: str) -> str:
    """What parts of words are compared by."""
    return text.casefold().replace("\0", " ")


def spaced(text: str) -> str:
    """What the index cuts into words: characters that are words of their own have spaces around
    them, and what Unicode's tables of today call no letter is none for older tables, either."""
    if text.isascii():
        return text.replace("\0", " ")
    return _EACH_ALONE.sub(r" \1 ", _NO_LETTERS.sub(" ", text))


def grams(part: str) -> list[str]:
    """The distinct runs of three characters of a folded text."""
    return list(dict.fromkeys(part[at : at + GRAM] for at in range(len(part) - GRAM + 1)))


def words(text: str) -> Iterator[Word]:
    """The words of a text as the index cuts them."""
    for found in _WORDS.finditer(text):
        yield Word(found.start(), found.end(), compared(found[0]))


@lru_cache(maxsize=1 << 14)
def compared(word: str) -> str:
    """A word without case, accents and endings."""
    return stem(plain(word))


def plain(word: str) -> str:
    """A word without case and accents."""
    word = word.lower()
    if word.isascii():
        return word
    marked = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(filterfalse(unicodedata.combining, marked)))
