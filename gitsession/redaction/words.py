"""Words versus noise: values that read like words, and stand-ins that people write for secrets."""

from __future__ import annotations

from gitsession.redaction.patterns import Lazy

_VOWELS = b"aeiouyAEIOUY"
_SEGMENTS = Lazy(rb"[A-Z]?[a-z]+|[A-Z]+")
_CONSONANTS = Lazy(rb"(?i)[bcdfghjklmnpqrstvwxz]{6}")
_PLAIN_PIECES = Lazy(rb"[A-Za-z]+\d*|\d+")
# Pairs of letters that are very rare inside words (less than once in 10 000 pairs in English words
# and identifiers): the first letter, then all that hardly ever follow it.
_UNUSUAL = (
    b"ajoq bhkqvwxz cjqwxz dhkqxz fhjkqvwxz gbdjkqvxz hcdfghjkpqvwxz ihwy jbcdfghjklmnpqrtvwxyz "
    b"kbcfghjkmqvxyz lhjqwxz mghjqvwxz nqxz oqz pbjqvwxz qabcdefghijkmnopqtvwxyz rjqxz sjxz tjkqx "
    b"uhjkquvwyz vbdfghjklmnqrtuvwxyz wbcfgjkmpquvwxyz xbghjknoqruvwz yhjkquvxy "
    b"zbcdfghjklmnpqrstuvwxyz"
)
_pairs: frozenset[bytes] = frozenset()

# Values that people write in place of a secret, and words that follow a key in prose.
_STAND_INS = frozenset(
    b"""my your the some any new old a an insert replace change enter add put set use get example
    sample dummy fake mock test demo default invalid wrong bad valid correct secure strong random
    generated temp placeholder redacted masked hidden removed todo fixme tbd none null nil undefined
    true false empty unset missing required optional string str text bytes number int bool boolean
    object array unknown secret password passwd pass pwd token key api apikey value user username
    admin root postgres mysql redis guest foo bar baz hello hunter2 letmein changeme changeit qwerty
    abc xxx is was and or not if for in on to of with from by are has will must should can does do
    at as it this that these no yes ok error expired incorrect stored hashed encrypted protected
    authentication auth field reset policy manager input form prompt""".split()
)
_FIRST_WORD = Lazy(rb"[A-Za-z]+2?(?![A-Za-z0-9])")
_JOINTS = (b"", b"_", b"-", b".", b" ", b"/", b":", b",", b"'")
_OWN_LENGTH = 3


def is_wordy(value: bytes) -> bool:
    """Most of it consists of word-like runs of letters, after splitting camel case."""
    good = 0
    segments = _SEGMENTS.findall(value)
    for segment in segments:
        size = len(segment)
        if size < 3:
            continue
        vowels = size - len(segment.translate(None, _VOWELS))
        if 0.2 <= vowels / size <= 0.65 and not _CONSONANTS.search(segment):
            good += size
    return good > 0.6 * len(value) and not _is_noise(segments)


def _is_noise(segments: list[bytes]) -> bool:
    """Hardly any run of letters is long, capitals are as frequent as small letters, or too many
    pairs of letters occur in no word."""
    letters = sum(map(len, segments))
    if len(segments) >= 5:
        capitals = sum(len(segment) for segment in segments if segment.isupper())
        capitals += sum(segment.istitle() and len(segment) > 1 for segment in segments)
        if letters <= 3 * len(segments) or 0.3 <= capitals / letters <= 0.65:
            return True
    pairs = unusual = 0
    for segment in segments:
        size = len(segment)
        if size >= 4:
            lower = segment.lower()
            known = _unusual_pairs()
            pairs += size - 1
            unusual += sum(lower[at : at + 2] in known for at in range(size - 1))
    return (pairs >= 11 and unusual * 5 >= pairs) or (pairs >= 7 and unusual * 10 >= pairs * 3)


def _unusual_pairs() -> frozenset[bytes]:
    global _pairs
    if not _pairs:
        _pairs = frozenset(bytes((row[0], other)) for row in _UNUSUAL.split() for other in row[1:])
    return _pairs


def starts_as_stand_in(value: bytes) -> int:
    """Length of the leading word if people write it in place of a secret (`your-…`), else 0."""
    first = _FIRST_WORD.match(value)
    if not first or first[0].lower() not in _STAND_INS:
        return 0
    end = first.end()
    return end if end > 3 or value[end : end + 1] in _JOINTS else 0


def is_stand_in(value: bytes) -> bool:
    """`your-password`, `admin`, `test_key_1`; not `admin-Tr0ub4dor`, with a part of its own."""
    if not starts_as_stand_in(value):
        return False
    own = b"".join(
        piece
        for piece in _PLAIN_PIECES.findall(value)
        if piece.lower() not in _STAND_INS and piece.rstrip(b"0123456789").lower() not in _STAND_INS
    )
    if own.isdigit():
        return len(own) < 4 or own in b"01234567890"
    return len(own) < _OWN_LENGTH or own.isalpha()
