"""The judge of passwords: which keys announce one, and which values can be one."""

from __future__ import annotations

from gitsession.redaction.assignment import COLONS, Assignment
from gitsession.redaction.keynames import is_strong_stem
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import (
    digits,
    is_filler,
    is_password,
    is_strong_password,
    is_token,
    is_uuid,
    lowers,
    uppers,
)
from gitsession.redaction.words import is_stand_in, is_wordy

_VERB = (
    rb"(?:[ \t]+(?:is|are|was|as|be|ist|lautet|est|es)[ \t:]+"
    rb"|[ \t]*(?:[:=]|\xe6\x98\xaf|\xe4\xb8\xba|\xef\xbc\x9a)[ \t]*)"  # 是 为 ：
)
_PROSE = Lazy(
    rb"(?:[ \t]+(?!(?i:algorithms?|type|format|method|fingerprint|digest|hash|checksum)\b)"
    rb"[A-Za-z\x80-\xff\x27()\-]{1,16}){1,5}?"
    + _VERB
    + rb"[\x22\x27`]?(?P<s>[A-Za-z0-9+/=_.~-]{20,400})"
)
_PROSE_PASSWORD = Lazy(
    rb"(?:[ \t]+[A-Za-z\x80-\xff\x27()\-]{1,16}){1,5}?"
    + _VERB
    + rb"[\x22\x27`]?(?P<s>[^\s\x22\x27`\x80-\xff]{6,60})"
)
_ANY_HEX = Lazy(rb"[0-9a-f]{20,64}")
_ENV_WORD = Lazy(rb"[A-Za-z0-9]{6,40}")
_FOUR_FOURS = Lazy(rb"[a-z]{4}(?: [a-z]{4}){3}(?![a-z ])")
_CLAUSE_END = Lazy(rb"[.,;!?)]?(?:\s|$)")
_ALGORITHM = Lazy(
    rb"(?i)(?:base|sha|md|argon|pbkdf|utf|aes|bcrypt|scrypt|ascii|iso|rfc|hmac|rsa|tls|ssl|http"
    rb"|oauth|win|python|v)[-_]?\d[\w.-]*"
)
_MARKS = b"!@#$%^&*?+"


def judge_password(key: Assignment, value: bytes, found: list[Span]) -> None:
    """Append `value` if `key` announces a password and the value can be one."""
    if not _announces_password(key):
        return
    at = key.value_start
    words = _FOUR_FOURS.match(key.text, at) if key.separator in COLONS else None
    if words and not is_wordy(words[0].replace(b" ", b"")):
        found.append((*words.span(), "password"))
        return
    if key.is_sentence and not key.quoted:
        spoken = value.rstrip(b".,!?")
        if is_password(spoken, False) and _is_spoken(key, spoken):
            found.append((at, at + len(value.rstrip(b".,?")), "password"))
        return
    bare = key.foreign and not key.separator
    if bare and not (is_password(value, key.quoted) and is_strong_password(value)):
        return
    if key.separator == b"|" and not is_password(value, True):
        return
    if is_password(value, key.quoted or key.separator == b"=") or _is_env_password(key, value):
        found.append((at, key.value_end, "password"))


def _is_spoken(key: Assignment, value: bytes) -> bool:
    if is_strong_password(value):
        return True
    if not (digits(value) >= 2 and uppers(value) and lowers(value)) or _ALGORITHM.match(value):
        return False
    return _CLAUSE_END.match(key.text, key.value_start + len(value)) is not None


def is_meant(key: Assignment, password: bool) -> bool:
    """Whether an assignment is meant though only blanks separate key and value: a row, a command
    that sets it, or a sentence."""
    value = key.value()
    if password and key.quoted:
        return True
    if not value or key.suffix[:1] in (b"-", b"_"):
        return False
    if not password:
        told = key.is_set or (key.is_row and key.is_constant)
        return told and is_token(value, 16 if key.is_constant else 20)
    if key.is_set or key.is_row:
        return is_strong_password(value) and is_password(value, True)
    marked = any(byte in _MARKS for byte in value) and digits(value) > 0
    mixed = uppers(value) > 0 and lowers(value) > 0
    return marked and (mixed or is_strong_password(value)) and is_password(value, False)


def judge_prose(text: bytes, start: int, end: int, password: bool, found: list[Span]) -> None:
    """`the key for the staging bucket is …`: only a long token or a strong password counts."""
    if text[end : end + 1] not in (b" ", b"\t"):
        return
    match = (_PROSE_PASSWORD if password else _PROSE).match(text, end)
    if not match:
        return
    value = match["s"].rstrip(b".,;:!?)")
    if password:
        if not (is_password(value, False) and is_strong_password(value)) or is_uuid(value):
            return
        found.append((match.start("s"), match.start("s") + len(value), "password"))
        return
    if len(value) < 20 or not is_token(value, 20) or is_uuid(value):
        return
    if _ANY_HEX.fullmatch(value) and not is_strong_stem(text[max(0, start - 16) : start]):
        return
    found.append((match.start("s"), match.start("s") + len(value), "secret"))


def _announces_password(key: Assignment) -> bool:
    """`pass` and `pw` are also a verb, a test result, a number: they need further evidence."""
    word, separator = key.word, key.separator
    if key.is_loose and (word in (b"pw", b"pass") or (key.quoted and len(key.blanks) != 1)):
        return False
    if word == b"pw":
        return _is_pw(key)
    if word not in (b"pass", b"_pass"):
        return True
    if separator == b"|" and word == b"_pass" and key.is_constant:
        return True
    if separator in (b"|", b",", b"or", b"to", b"as", b"es", b"est"):
        return False
    return _is_camel_pass(key) or _is_plain_pass(key)


def _is_pw(key: Assignment) -> bool:
    if key.suffix or (key.prefix and key.prefix[-1] not in b"_-."):
        return False
    spelled = key.text[key.start : key.end]
    if spelled.isupper() and key.separator in (b",", b"||", b"or") and key.quoted:
        return True
    return key.separator in COLONS or key.separator in (b"is", b"ist")


def _is_camel_pass(key: Assignment) -> bool:
    """`smtpPass`, `SMTP_PASS=`."""
    if key.word != b"pass" or key.suffix or not key.prefix:
        return False
    camel = key.text[key.start] == 80 and key.prefix[-1:].islower()
    return camel or (key.is_constant and key.separator in (b":", b"="))


def _is_plain_pass(key: Assignment) -> bool:
    if not key.prefix and key.suffix:
        return False
    if key.word == b"_pass":
        return True
    spelled = key.text[key.start : key.end]
    certain = key.closed or key.separator == b"="
    if key.prefix[-1:].isalnum() or (spelled.isupper() and not certain):
        return False
    if key.prefix or certain or key.quoted:
        return True
    value = key.value().rstrip(b".,;)")
    if key.separator in (b"is", b"ist"):
        return True
    return key.separator == b":" and spelled != b"PASS" and is_strong_password(value)


def _is_env_password(key: Assignment, value: bytes) -> bool:
    """`DB_PASSWORD=winterfalcon` alone on its line: here even a plain word is a password."""
    if key.quoted or key.blanks != b"=" or not (key.is_constant and key.starts_line):
        return False
    text, end = key.text, key.value_end
    if not _ENV_WORD.fullmatch(value) or is_stand_in(value) or is_filler(value):
        return False
    return end >= len(text) or text[end] in b'\r\n "'
