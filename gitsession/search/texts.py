"""Texts in the forms in which they are compared: parts of words, words, and words by their stems.

Comparison works on single characters (case folded, characters that are words by themselves
separated), so that a part of a text is also a part of its compared form.
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
    Word.__doc__ = "A word of a text: its position, and the stem by which it is compared."

_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"  # Thai, Lao, Burmese, jamo, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"  # Han, Hangul
    "\U00020000-\U0003ffff"
)
"""Scripts without spaces between words: each character counts as a word."""
_EACH_ALONE = re.compile(f"([{_ALONE}])")
_WORDS = re.compile(f"[{_ALONE}]|(?:(?![{_ALONE}])[^\\W_])+(?:[\u0300-\u036f]+[^\\W_{_ALONE}]*)*")
_NO_LETTERS = re.compile("[^\\w\u0300-\u036f]+")
_HALVES = re.compile("[\ud800-\udfff]")
GRAM = 3
"""The number of characters in the shortest part of a word that can be searched for."""
PIECE = 1 << 20
"""The number of characters beyond which a text is indexed in several pieces."""
_SHARED = 256
"""The number of characters that neighbouring pieces share, so that a phrase is whole in one of
them."""


def storable(text: str) -> str:
    """Return the text as UTF-8 can store it, with half surrogates replaced."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces that need little memory to index, cut between words if there are
    spaces."""
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
    """Return the form in which parts of words are compared."""
    return text.casefold().replace("\0", " ")


def spaced(text: str) -> str:
    """Return the form that the index splits into words: spaces surround characters that are words
    by themselves, and characters that today's Unicode tables do not count as letters are replaced,
    because older tables may count them."""
    if text.isascii():
        return text.replace("\0", " ")
    return _EACH_ALONE.sub(r" \1 ", _NO_LETTERS.sub(" ", text))


def grams(part: str) -> list[str]:
    """Return the distinct trigrams of a folded text."""
    return list(dict.fromkeys(part[at : at + GRAM] for at in range(len(part) - GRAM + 1)))


def words(text: str) -> Iterator[Word]:
    """Yield the words of a text as the index splits them."""
    for found in _WORDS.finditer(text):
        yield Word(found.start(), found.end(), compared(found[0]))


@lru_cache(maxsize=1 << 14)
def compared(word: str) -> str:
    """Return a word without case, accents and endings."""
    return stem(plain(word))


def plain(word: str) -> str:
    """Return a word without case and accents."""
    word = word.lower()
    if word.isascii():
        return word
    marked = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(filterfalse(unicodedata.combining, marked)))
