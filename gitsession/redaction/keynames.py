"""Names of keys: words that announce a password or a token, affixes that make them harmless."""

from __future__ import annotations

from gitsession.redaction.patterns import Lazy

PASSWORD_WORDS = frozenset(
    (b"password", b"passwd", b"passphrase", b"pwd", b"passcode", b"userpass", b"requirepass",
     b"pgpassword", b"_pass", b"pass", b"pw", b"passwort", b"kennwort", b"mot de passe",
     b"contrasena", b"wachtwoord", b"senha",
     *(word.encode() for word in (
        "密码", "密碼", "口令", "contraseña", "пароль", "Пароль", "パスワード", "비밀번호")))
)  # fmt: skip
TOKEN_WORDS = frozenset(
    (b"secret", b"token", b"apikey", b"api_key", b"api-key", b"api key", b"access_key",
     b"access-key", b"accesskey", b"access key", b"private_key", b"privatekey", b"private-key",
     b"private key", b"credential", b"_key", b"-key", b"key", b"signature", b"_sig", b"jwt",
     b"webhook", "密钥".encode(), "令牌".encode(), "schlüssel".encode(), b"key-data",
     b"client_secret", b"psk", b"licen")
)  # fmt: skip

SHORT_WORDS = (b"auth", b"_auth", b"pat", b"_pat")
SHORT_WORD_ENDS = b"=:\"'` )]"
"""Words contained in many others (`author`, `path`) count only before one of these bytes."""

_HARMLESS_SUFFIX = Lazy(
    rb"(?i)[_-]?(?:hash|id|ids|name|names|type|types|count|counts|field|fields|path|file|files|url"
    rb"|uri|length|len|size|limit|usage|expir\w*|ttl|policy|prompt|label|hint|placeholder|error\w*"
    rb"|valid\w*|requir\w*|reset|strength|column|param\w*|ref|refs|alias|index|space|board|word"
    rb"|words|frame\w*|iz\w+|manager|provider|store|service|class|arn|version|format|rotat\w+"
    rb"|created|updated|at|age|algorithm|alg|s|ed|er|ing|map|mgmt|input|output|pair|ring|chain|up"
    rb"|down|press|code|event|binding|stroke|point|role|scope|endpoint|mode|enabled|status|set"
    rb"|list|array|budget|cost|price|stream|source|kind|env|var|regex|pattern|test|spec|mock|cache"
    rb"|prefix|suffix|check\w*|confirm\w*|chang\w+|forg\w+|update\w*|help\w*|less|handler|callback"
    rb"|component|page|screen|view|form|button|icon|text|title|value|metadata|bucket|hex)(?![a-z])"
)
_ALLOWED_SUFFIX = Lazy(
    rb"(?i)(?:[_-]?(?:\d{1,3}|v\d|prod\w*|dev\w*|stag\w*|test|live|base|main|b64|base64|data|value"
    rb"|str|string|raw|plain|default|primary|secondary|old|new|id_secret|key|secret|token"
    rb"|(?<=[_-])[a-z]{2}))?$"
)
_HARMLESS_LAST = frozenset(
    b"""primary foreign public publishable sort partition hash range cache composite unique natural
    surrogate lookup object s3 hot arrow shift enter escape tab short shortcut idempotency dedup
    dedupe translation i18n locale message map dict json yaml config state query route row col
    column group item node react storage next page continuation sync cursor csrf xsrf eos bos pad
    unk mask special stop input output prompt completion cached total max min num reasoning thinking
    keyword sep cls delim delimiter lexer syntax design semantic color theme count budget current
    last first left right redirect registry reg feature flag metric dimension label tag event
    attribute property prop field header meta data param arg env var sub super parent child type is
    has no non any each every per by with without this that your my the a an known host authorized
    request change resume upload download job trace span correlation batch operation order invite
    confirm reset verify verification pagination start end invalid missing expired valid new old
    token key keys word cell struct enum class index search filter record entity document doc file
    path dir bucket blob image asset module package import export function method variable const
    edge graph link ref id name alias license_ text string char byte line block section chunk
    segment piece part element""".split()
)
_LAST_WORD = Lazy(rb"([A-Z]?[a-z]+|[A-Z]+|\d+)[_\-. ]*$")
_STRONG_STEM = Lazy(
    rb"(?i)(?:api|secret|access|private|encrypt\w*|sign\w*|master|auth\w*|service|account|deploy"
    rb"|licen[sc]e|admin|client|app|session|root|ssh|gpg|aes|hmac|jwt|webhook|shared|consumer"
    rb"|subscription|server|vendor|vault|token|bearer|storage|wallet|crypt|cipher|decrypt\w*|fernet"
    rb"|salt)[_\- .]?$"
)


def is_harmless_suffix(suffix: bytes) -> bool:
    """`_hash`, `_id`, `Field` … after the word: the value is not the secret itself."""
    return _HARMLESS_SUFFIX.match(suffix) is not None or _ALLOWED_SUFFIX.match(suffix) is None


def is_harmless_stem(stem: bytes) -> bool:
    """`primary_`, `next_page_`, `request…` before the word: keys and tokens of another kind."""
    last = _LAST_WORD.search(stem)
    return last is not None and last[1].lower() in _HARMLESS_LAST


def is_strong_stem(stem: bytes) -> bool:
    """`api_`, `encryption_` … before `key`: certainly a secret one."""
    return _STRONG_STEM.search(stem) is not None
