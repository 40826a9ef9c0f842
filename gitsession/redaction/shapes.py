"""What a value looks like: filler, code, words, random. Judged on bytes with ASCII classes only."""

from __future__ import annotations

from gitsession.redaction.patterns import Lazy
from gitsession.redaction.words import is_stand_in, is_wordy, starts_as_stand_in

DIGITS = b"0123456789"
UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = b"abcdefghijklmnopqrstuvwxyz"
ALNUM = frozenset(DIGITS + UPPER + LOWER)

_FILLER = Lazy(
    rb"x{4,}|X{4,}|\*{3,}|\.{3}|\xe2\x80\xa6|0{8,}|1234567|EXAMPLE"
    rb"|(?i:(?<![a-z])example|abcdefgh|placeholder|redacted|your[_-]|<[a-z])"
)
_BY_CHANCE = Lazy(rb"(?<!x)x{4,5}(?!x)|(?<!X)X{4,5}(?!X)|(?<!\.)\.{3}(?!\.)")
_BASE64_KEY = Lazy(rb"[A-Za-z0-9+/]{40,}={0,2}")
_ALPHABET = Lazy(rb"(?i)abcdefghijklmn")
_CODE = Lazy(
    rb"(?x) \?\. | ^env: | ^: | ^\? | ^[\w/.-]+\.(?:py|rs|go|ts|js|tsx|md|c|h|java|rb):\d+"
    rb" | ^(?:localhost|127\.0|0\.0) | ^[$%<{@&(\[*!~`#|\\/] | [(){}\[\]<>;]"
    rb" | ^(?:self|this|os|process|env|config|settings|args|ctx|req|request|event|options|opts"
    rb"    |props|state|app|data|var|local|module|window|secrets|vault|await|new|lambda|f|r|b)"
    rb"    [.\[\x22\x27]"
    rb" | ^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$ | :: | -> | => | ^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$"
    rb" | ^https?:|^file: | ^\.{0,2}/ | ^~/"
    rb" | ^[\w.-]+\.(?:py|ts|js|go|rs|md|json|ya?ml|toml|env|pem|key|txt|sh|html|css|tsx|jsx|java"
    rb"    |rb)$"
    rb" | ^op:// | ^arn: | ^vault: | ^ENC\[ | REDACTED"
)
_CODE_EVEN_QUOTED = Lazy(rb"^%\w+%$|[()\[\]{}<>]|REDACTED|\$\{|%s(?![A-Za-z0-9%@])|^[$/<{]")
_IDENTIFIER = Lazy(rb"[A-Za-z_]+\d?$|[a-z]+(?:[-_.][a-z]+)*\d?$")
_UUID = Lazy(rb"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
_DOTTED = Lazy(rb"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_=-]+){1,3}$")
_TYPE_NAME = Lazy(rb"[A-Za-z_][\w.]*(?:Key|Token|Secret|Type|Password|Credential)s?(?:Types?)?$")
_WORD_PATH = Lazy(rb"[A-Za-z_.~-]*(?:/[A-Za-z_.-]+){2,}/?$")
_CONSTANT = Lazy(rb"[A-Z0-9_]+")
_CLUSTER = Lazy(rb"[bcdfghjklmnpqrstvwxz]{4}")
_DIGIT_INSIDE = Lazy(rb"[A-Za-z]\d+[A-Za-z]")
_MEASURE = Lazy(
    rb"[\d.,:/%-]+|v?\d+(?:\.\d+)+[a-z]?"
    rb"|\d+(?:px|em|ms|s|kb|mb|gb|%|x|th|st|nd|rd|chars?)?"
)
_WORDS_JOINED = Lazy(rb"(?:[a-z]+[-_.])+[a-z]*\d{0,2}")
_DUMMY_LOGIN = Lazy(rb"(?i):(?:password|pass|secret|token|x+)$")


def digits(value: bytes) -> int:
    return len(value) - len(value.translate(None, DIGITS))


def uppers(value: bytes) -> int:
    return len(value) - len(value.translate(None, UPPER))


def lowers(value: bytes) -> int:
    return len(value) - len(value.translate(None, LOWER))


def entropy(value: bytes) -> float:
    """Shannon entropy in bits per byte."""
    from math import log2

    size = len(value)
    counts = (value.count(byte) for byte in set(value))
    return -sum(count / size * log2(count / size) for count in counts) if size else 0.0


def is_filler(value: bytes) -> bool:
    """A dummy by its own look: `xxxx`, `1234567`, `your-…`, or hardly any different bytes."""
    return len(set(value)) < 6 or _FILLER.search(value) is not None


def is_dummy(value: bytes) -> bool:
    """Filler, unless the value is so long and random that it contains filler by chance."""
    if not is_filler(value):
        return False
    if len(value) > 60 and entropy(value) > 4 and not _ALPHABET.search(value):
        return False
    # Shorter values are dummies, but four x or three dots do occur by chance: the rest decides.
    rest = _BY_CHANCE.sub(b"", value, 1)
    if len(rest) == len(value) or is_filler(rest):
        return True
    return not any(is_random(part, 20) for part in (rest, rest.rpartition(b"-")[2]))


def is_code(value: bytes) -> bool:
    """An expression, reference, path or constant name rather than a literal value."""
    return _CODE.search(value) is not None


def is_uuid(value: bytes) -> bool:
    return len(value) == 36 and _UUID.match(value) is not None


def is_identifier(value: bytes) -> bool:
    return _IDENTIFIER.match(value) is not None


def is_random(value: bytes, shortest: int = 16) -> bool:
    """Looks machine-made: mixed classes, no word structure, enough entropy."""
    size = len(value)
    if size < shortest:
        return False
    numbers, upper, lower = digits(value), uppers(value), lowers(value)
    if numbers == size:
        return False
    if numbers == 0:
        if upper == 0:
            return size >= 32 and _is_random_lower(value)
        return upper >= 2 and lower >= 2 and entropy(value) > 3.5 and not is_wordy(value)
    joined = any(byte in value for byte in b"-_./")
    if (numbers < 2 or joined) and is_wordy(value):
        return False
    return entropy(value) > (2.8 if size < 24 else 3.0)


def _is_random_lower(value: bytes) -> bool:
    """Only lower-case letters: no word is that long, but several may be joined."""
    if any(byte in value for byte in b"-_./ ") or entropy(value) <= 3.6:
        return False
    return not is_wordy(value) or (len(value) >= 40 and _CLUSTER.search(value) is not None)


def is_password(value: bytes, quoted: bool) -> bool:
    """Could be the value of a key called password."""
    size = len(value)
    if size < 6 or size > 200 or b" " in value or not value.isascii():
        return False
    if is_filler(value) or is_stand_in(value) or _WORD_PATH.match(value):
        return False
    number, letter = digits(value) > 0, lowers(value) + uppers(value) > 0
    other = any(byte not in ALNUM and byte not in b"_-. " for byte in value)
    if is_code(value):
        excused = (quoted or value[:1] in b"!#*@&%~") and other and letter
        excused = excused and (number or (value[0] not in ALNUM and _is_scrambled(value)))
        if not excused or _CODE_EVEN_QUOTED.search(value):
            return False
    if not (number or other):
        mixed = uppers(value) > 0 and lowers(value) > 0
        return size >= 16 and mixed and not is_wordy(value)
    if is_identifier(value) and not (number and size >= 8 and not is_wordy(value)):
        return False
    return letter


def _is_scrambled(value: bytes) -> bool:
    return len(value) >= 12 and lowers(value) >= 2 and uppers(value) >= 2


def is_strong_password(value: bytes) -> bool:
    """In prose a password must be recognizable by itself: several classes, and not a version, a
    measure or plain words."""
    number, lower, upper = digits(value), lowers(value) > 0, uppers(value) > 0
    other = any(33 <= byte <= 47 or 58 <= byte <= 64 for byte in value)
    size = len(value)
    if size < 6 or (number > 0) + lower + upper + other < 2:
        return False
    wordy = is_wordy(value)
    scrambled = _is_scrambled(value)
    if not ((number and (other or upper or size >= 8)) or (other and upper and lower)):
        return scrambled and not wordy
    if wordy and not (number >= 3 and other):
        return scrambled and _DIGIT_INSIDE.search(value) is not None
    return not _MEASURE.fullmatch(value.lower()) and not _WORDS_JOINED.fullmatch(value)


def is_token(value: bytes, shortest: int = 16) -> bool:
    """Could be the value of a key called token, secret or key."""
    size = len(value)
    if size < shortest or size > 4096 or b" " in value or is_dummy(value):
        return False
    stand_in = starts_as_stand_in(value)
    if stand_in:
        rest = value[stand_in + 1 :]
        if not (is_random(rest, 16) and not is_wordy(rest)):
            return False
    if _TYPE_NAME.match(value):
        return False
    if is_code(value) and not (_is_dotted_token(value) or _is_base64_key(value)):
        return False
    if is_uuid(value):
        return True
    if is_identifier(value) and is_wordy(value):
        return False
    return is_random(value, shortest)


def _is_base64_key(value: bytes) -> bool:
    """Base64 of a key: a leading slash does not make it a path."""
    mixed = digits(value) >= 2 and uppers(value) >= 5 and lowers(value) >= 5
    return mixed and _BASE64_KEY.fullmatch(value) is not None and not is_wordy(value)


def _is_dotted_token(value: bytes) -> bool:
    if not _DOTTED.match(value):
        return False
    return any(
        is_random(piece, 16) and not is_wordy(piece) and not _CONSTANT.fullmatch(piece)
        for piece in value.split(b".")
    )


def decode_base64(value: bytes) -> bytes | None:
    """Decode either base64 alphabet, padding optional; None if it is not base64."""
    from binascii import Error, a2b_base64

    value = value.rstrip(b"=").translate(_TO_STANDARD)
    if len(value) % 4 == 1:
        value = value[:-1]
    try:
        return a2b_base64(value + b"=" * (-len(value) % 4))
    except Error:
        return None


_TO_STANDARD = bytes.maketrans(b"-_", b"+/")


def is_login(value: bytes) -> bool:
    """Base64 of `user:password`, as in Basic authentication and `_auth`."""
    plain = decode_base64(value)
    if not plain or len(plain) < 6 or b":" not in plain[1:]:
        return False
    return all(32 <= byte < 127 for byte in plain) and not _DUMMY_LOGIN.search(plain)


_BASE58 = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def is_wallet_key(value: bytes) -> bool:
    """A private key in wallet import format: base 58 with a valid checksum."""
    from hashlib import sha256

    number = 0
    for byte in value:
        number = number * 58 + _BASE58.index(byte)
    data = number.to_bytes(40, "big").lstrip(b"\x00")
    body, check = data[:-4], data[-4:]
    return body[:1] == b"\x80" and sha256(sha256(body).digest()).digest()[:4] == check
