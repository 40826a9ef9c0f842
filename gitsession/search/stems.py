"""M. F. Porter's algorithm for suffix stripping (1980), as SQLite's index applies it to the bytes
of a word. Marking the matches in a text, and searching without that index, needs the same rule."""

from __future__ import annotations

from itertools import pairwise

_LONGEST = 64
_SECOND = (
    (b"ational", b"ate"), (b"tional", b"tion"), (b"enci", b"ence"), (b"anci", b"ance"),
    (b"izer", b"ize"), (b"logi", b"log"), (b"bli", b"ble"), (b"alli", b"al"), (b"entli", b"ent"),
    (b"eli", b"e"), (b"ousli", b"ous"), (b"ization", b"ize"), (b"ation", b"ate"),
    (b"ator", b"ate"), (b"alism", b"al"), (b"iveness", b"ive"), (b"fulness", b"ful"),
    (b"ousness", b"ous"), (b"aliti", b"al"), (b"iviti", b"ive"), (b"biliti", b"ble"),
)  # fmt: skip
_THIRD = (
    (b"icate", b"ic"), (b"ative", b""), (b"alize", b"al"), (b"iciti", b"ic"), (b"ical", b"ic"),
    (b"ful", b""), (b"ness", b""),
)  # fmt: skip
_FOURTH = (
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent",
    b"ion", b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of a word in lower case; anything else is returned unchanged."""
    data = word.encode("utf-8", "surrogatepass")
    if not 3 <= len(data) <= _LONGEST:
        return word
    data = _participle(_plural(data))
    if data.endswith(b"y") and _has_vowel(data[:-1]):
        data = data[:-1] + b"i"
    data = _without_ending(_replaced(_replaced(data, _SECOND), _THIRD))
    if data.endswith(b"e"):
        begin = data[:-1]
        measure = _measure(begin)
        if measure > 1 or (measure == 1 and not _is_short(begin)):
            data = begin
    if data.endswith(b"ll") and _measure(data[:-1]) > 1:
        data = data[:-1]
    return data.decode("utf-8", "surrogatepass")


def _plural(word: bytes) -> bytes:
    if not word.endswith(b"s"):
        return word
    if word.endswith(b"es"):
        long = (len(word) > 4 and word.endswith(b"sses")) or (
            len(word) > 3 and word.endswith(b"ies")
        )
        return word[:-2] if long else word[:-1]
    return word if word.endswith(b"ss") else word[:-1]


def _participle(word: bytes) -> bytes:
    if _ends(word, b"eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in (b"ed", b"ing"):
        if _ends(word, ending) and _has_vowel(word[: -len(ending)]):
            return _mended(word[: -len(ending)])
    return word


def _mended(begin: bytes) -> bytes:
    """Repair the end of a verb that lost its `ed` or `ing`."""
    if any(_ends(begin, ending) for ending in (b"at", b"bl", b"iz")):
        return begin + b"e"
    last = begin[-1:]
    if last == begin[-2:-1] and last not in b"aeioulsz":
        return begin[:-1]
    return begin + b"e" if _measure(begin) == 1 and _is_short(begin) else begin


def _replaced(word: bytes, rules: tuple[tuple[bytes, bytes], ...]) -> bytes:
    for ending, other in rules:
        if _ends(word, ending):
            begin = word[: -len(ending)]
            return begin + other if _measure(begin) > 0 else word
    return word


def _without_ending(word: bytes) -> bytes:
    for ending in _FOURTH:
        if _ends(word, ending):
            begin = word[: -len(ending)]
            fits = ending != b"ion" or begin.endswith((b"s", b"t"))
            return begin if fits and _measure(begin) > 1 else word
    return word


def _ends(word: bytes, ending: bytes) -> bool:
    return len(word) > len(ending) and word.endswith(ending)


def _shape(word: bytes) -> list[bool]:
    """Return for each byte whether it is a consonant; a `y` after a consonant is a vowel."""
    found: list[bool] = []
    before = False
    for code in word:
        before = not (code in b"aeiou" or (code == 0x79 and before))
        found.append(before)
    return found


def _measure(word: bytes) -> int:
    """Return how often a consonant follows a vowel."""
    shape = _shape(word)
    return sum(now and not before for before, now in pairwise(shape))


def _has_vowel(word: bytes) -> bool:
    return any(code in b"aeiou" or (code == 0x79 and at > 0) for at, code in enumerate(word))


def _is_short(word: bytes) -> bool:
    """Whether it ends in consonant, vowel, consonant, where the last is not w, x or y."""
    return word[-1:] not in (b"w", b"x", b"y") and _shape(word)[-3:] == [True, False, True]
