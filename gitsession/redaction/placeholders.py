"""Placeholders `__REDACTED_<rule>_<8 hex>__`: keyed, stable, safe in URL, YAML, shell and JSON."""

from __future__ import annotations

from gitsession.digests import keyed
from gitsession.redaction.patterns import Lazy

_FORM = Lazy(rb"__REDACTED_([a-z0-9.-]+)_[0-9a-f]{8}__")
_INVISIBLE = Lazy(
    rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad"
    rb"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_ESCAPE = Lazy(rb"\\+(?:u([0-9a-fA-F]{4})|[nrt]|([\x22\x27/]))")
_LINE_NUMBER = Lazy(rb"(?m)^[ \t]*\d{1,6}\xe2\x86\x92")
_NOT_KEY = Lazy(rb"[^A-Za-z0-9/=]")
_WHITE = Lazy(rb"\s+")

_MOST_NAMES = 1000
_LONGEST_NAMED = 1000
UNSCANNED = "unscanned"
OTHER_RULES = frozenset(
    ("secret", "password", "basic-auth", "cli-password", "curl-user", "sql-password", "encoded",
     "jwt", "jwk-private", "k8s-secret", "key-data", "private-key", "seed-phrase", "url-password",
     "authorization", "bearer-token", "cookie", "pgpass", "netrc", "airtable-token", "discord-bot",
     "zhipu-key", "twilio-key", "wallet-key", "aws-secret-key", "cloudant-key", "softlayer-key",
     "ibm-cloud-key", "ibm-cos-key", "assigned", "recalled", "email", "private-address",
     "host-name", "home-path", "word", UNSCANNED)
)  # fmt: skip
"""Rules without a row in rules.yaml."""


def canonical(value: bytes, rule: str) -> bytes:
    """Reduce all wrappings of a secret to one value, without escapes, layout and line prefixes.

    Lossy; it is only hashed.
    """
    value = _INVISIBLE.sub(b"", value)
    if b"\\" in value:
        value = _ESCAPE.sub(_unescape, value)
    if rule == "private-key":
        # "+" is removed too: at the start of a line it may be a diff marker.
        value = _NOT_KEY.sub(b"", _LINE_NUMBER.sub(b"", value))
    return _WHITE.sub(b"", value)


def _unescape(match: object) -> bytes:
    code, other = match[1], match[2]  # type: ignore[index]
    if code:
        return chr(int(code, 16)).encode("utf-8", "surrogatepass")
    return other or b""


class Placeholders:
    """Names values with the user's key."""

    __slots__ = ("_key", "_names", "_rules")

    def __init__(self, key: bytes, rules: frozenset[str]) -> None:
        self._key = key
        self._rules = rules | OTHER_RULES
        self._names: dict[tuple[bytes, str], str] = {}

    def name(self, value: bytes, rule: str) -> str:
        name = self._names.get((value, rule))
        if name is None:
            hashed = keyed(self._key, canonical(value, rule)).hex()[:8]
            name = f"__REDACTED_{rule}_{hashed}__"
            if len(self._names) < _MOST_NAMES and len(value) < _LONGEST_NAMED:
                self._names[value, rule] = name
        return name

    def mac(self, value: bytes) -> str:
        """The 128-bit keyed hash of exactly these bytes, which a finding records."""
        return keyed(self._key, b"gitsession finding\x00" + value)[:16].hex()

    def spans(self, text: bytes) -> list[tuple[int, int]]:
        """Spans of placeholders that this engine can have written."""
        if b"__REDACTED_" not in text:
            return []
        return [
            match.span()
            for match in _FORM.finditer(text)
            if match[1].decode("ascii") in self._rules
        ]
