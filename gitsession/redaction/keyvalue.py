"""The judge of `key = value`: is the value a password or token that is in use?"""

from __future__ import annotations

from gitsession.redaction.assignment import Assignment, parse
from gitsession.redaction.keynames import is_harmless_stem, is_harmless_suffix, is_strong_stem
from gitsession.redaction.passwords import is_meant, judge_password, judge_prose
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import (
    digits,
    is_login,
    is_password,
    is_token,
    is_uuid,
    lowers,
    uppers,
)

_HEX_DIGEST = Lazy(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_ANY_HEX = Lazy(rb"[0-9a-f]{20,64}")
_REFERENCE = Lazy(rb"[A-Za-z_][A-Za-z0-9_]*_[a-z]+")
_BASE64 = Lazy(rb"[A-Za-z0-9+/=]{30,}")
_SIGNED = Lazy(rb"(?i)amz")
_MAKES_UUID_SECRET = (b"secret", b"client_secret", b"token", b"apikey", b"api_key", b"api-key",
                      b"api key", b"access_key")  # fmt: skip
_SHORT_TOKENS = (b"secret", b"client_secret", b"apikey", b"api_key", b"api-key")
_PUBLIC = Lazy(rb"(?i)(?:pk|pub)[_-](?:live|test|prod)_|sb_publishable_|pk\.eyj")
_STEMMED = (b"token", b"secret", b"credential", b"jwt")


def judge(
    text: bytes, lower: bytes, start: int, end: int, password: bool, found: list[Span]
) -> int:
    """Append the value of the assignment whose key word is at [start, end), if it is secret.
    Returns how many bytes were weighed: a key may occur in the value of another one, again and
    again."""
    key = parse(text, lower, start, end, password)
    if key is None or (key.is_loose and not is_meant(key, password)):
        judge_prose(text, start, end, password, found)
        return 0
    if not key.names_value:
        return 0
    if key.suffix and is_harmless_suffix(key.suffix):
        return 0
    value = key.value()
    if not value or b"://" in value or value.startswith((b"[REDACTED", b"__REDACTED_")):
        return 0
    if password:
        judge_password(key, value, found)
    else:
        _judge_token(key, value, found)
    return len(value)


def judge_member(name: bytes, value: bytes, words: list[tuple[int, int, bool]]) -> list[Span]:
    """Judge a member of a JSON object; `words` are the key words inside `name`."""
    if len(value) > 4096 or b"\n" in value.strip():
        return []
    # Of the same length, so that the offsets stay valid.
    text = name + b'": "' + value.replace(b'"', b"'") + b'"'
    lower = text.lower()
    found: list[Span] = []
    for start, end, password in words:
        judge(text, lower, start, end, password, found)
    shift = len(name) + 4
    return [
        (start - shift, min(end - shift, len(value)), rule)
        for start, end, rule in found
        if start >= shift
    ]


def _judge_token(key: Assignment, value: bytes, found: list[Span]) -> None:
    if key.word in (b"auth", b"_auth"):
        if is_login(value):
            found.append((key.value_start, key.value_end, "basic-auth"))
        return
    if key.word in (b"pat", b"_pat"):
        if _announces_access_token(key) and is_token(value, 24):
            found.append((key.value_start, key.value_end, "secret"))
        return
    if _PUBLIC.match(value) or not _announces_token(key, value) or _is_reference(key, value):
        return
    if value[:2] == b"0x" and len(value) == 66 and b"rivate" in key.name[-16:].lower():
        found.append((key.value_start, key.value_end, "private-key"))
        return
    end = key.value_end
    if is_token(value, _shortest(key, value)):
        if not _is_other_id(key, value):
            found.append((key.value_start, end, "secret"))
    elif _is_short_secret(key, value):
        found.append((key.value_start, end, "secret"))
    elif _is_key_data(key, value):
        found.append((key.value_start, end, "key-data"))


def _announces_access_token(key: Assignment) -> bool:
    """`GITHUB_PAT`, `azurePat`, but not `path`, `pattern` or `spat`."""
    spelled = key.text[key.start : key.end]
    if key.suffix or not (spelled.isupper() or spelled[-3:] == b"Pat"):
        return False
    return not (key.word == b"pat" and key.prefix[-1:].isupper() and spelled.isupper())


def _is_reference(key: Assignment, value: bytes) -> bool:
    """`signature = other_signature`: a name, not a value."""
    named = not key.quoted and value.lower().endswith(key.word.lstrip(b"_-"))
    return named and _REFERENCE.fullmatch(value) is not None


def _announces_token(key: Assignment, value: bytes) -> bool:
    if key.word in (b"key", b"_key", b"-key"):
        return _announces_key(key, value)
    if key.word == b"signature" and key.quoted:
        return b"x-amz-" in key.prefix.lower()
    if key.word == b"secret" and key.separator == key.blanks == b":" and _in_arn(key):
        return False
    return key.word not in _STEMMED or not is_harmless_stem(key.prefix)


def _in_arn(key: Assignment) -> bool:
    """`arn:aws:secretsmanager:…:secret:name` names a secret but is none."""
    start = key.name_start
    before = key.text[max(0, start - 90) : start]
    return before[-1:] == b":" and b"arn:" in before


def _announces_key(key: Assignment, value: bytes) -> bool:
    stem = key.name[:-3].rstrip(b"_-. ")
    if not stem:
        return key.is_sentence and is_token(value, 24) and not is_uuid(value)
    if is_strong_stem(stem):
        return True
    return not is_harmless_stem(stem) and key.is_constant and len(stem) >= 2


def _base_length(key: Assignment) -> int:
    return 12 if key.word in _SHORT_TOKENS or key.foreign or key.is_sentence else 16


def _shortest(key: Assignment, value: bytes) -> int:
    shortest = _base_length(key)
    if shortest == 16 and digits(value) >= 2 and uppers(value) >= 2 and lowers(value) >= 2:
        return 14
    return shortest


def _is_other_id(key: Assignment, value: bytes) -> bool:
    """UUIDs and plain digests are secrets only under a name that says so."""
    if is_uuid(value):
        named = key.word in _MAKES_UUID_SECRET or (key.word.endswith(b"_key") and key.is_constant)
        return not named
    if key.word == b"signature" and _ANY_HEX.fullmatch(value):
        return not _SIGNED.search(key.prefix)
    if not _HEX_DIGEST.fullmatch(value):
        return False
    before = key.text[max(0, key.start - 16) : key.start]
    return key.word == b"key" and not (is_strong_stem(key.name[:-3]) or is_strong_stem(before))


def _is_short_secret(key: Assignment, value: bytes) -> bool:
    if not key.word.endswith(b"secret") or key.quoted or not key.is_constant:
        return False
    return is_password(value, key.separator == b"=")


def _is_key_data(key: Assignment, value: bytes) -> bool:
    """`client-key-data: …` in a kubeconfig."""
    if key.separator not in (b":", b"=", b"=>") or b"-data" not in key.name.lower() + key.suffix:
        return False
    return _BASE64.fullmatch(value) is not None
