"""Forms whose grammar announces a secret: headers, cookies, URL userinfo, command lines."""

# ruff: noqa: ARG001 (all detectors have one signature)
from __future__ import annotations

from collections.abc import Callable

from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import (
    ALNUM,
    is_code,
    is_filler,
    is_login,
    is_password,
    is_random,
    is_strong_password,
    is_token,
)
from gitsession.redaction.words import is_stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.patterns import Match

Detector = Callable[[bytes, bytes, int, int, list[Span]], "int | None"]
"""Called with the text, its lower case, start and end of the anchor, and the list to append to.
Returns how many bytes it weighed, if that may be many."""

_URL_LOGIN = Lazy(
    rb"://([^\s/:@\x22\x27<>]{0,80}(?:@[A-Za-z0-9.-]{1,60})?):(?P<s>[^\s/@\x22\x27<>`]{3,300})"
    rb"@[A-Za-z0-9\[%{$_.-]"
)
_VARIABLE = Lazy(rb"\$[A-Z{(]|\{")
_AUTHORIZATION = Lazy(
    rb"(?i)(?:proxy-)?authori[sz]ation[ \t]*[\x22\x27\]]{0,2}[ \t]*[:=,][ \t]*[\x22\x27f`]{0,2}"
    rb"(?:(?:bearer|token|apikey|api-key|key|jwt|splunk|ssws|oauth|aws4-hmac-sha256|digest"
    rb"|negotiate)[ \t]+)?(?P<s>[A-Za-z0-9+/=_.~:-]{12,4096})"
)
_BASIC = Lazy(rb"(?i)basic[ \t]{1,8}(?P<s>[A-Za-z0-9+/]{8,4096}={0,2})")
_BEARER = Lazy(rb"(?i)bearer[\x22\x27]?[ \t:=]{1,8}[\x22\x27]?(?P<s>[A-Za-z0-9+/=_.~-]{16,4096})")
_COOKIES = Lazy(
    rb"(?i)(?:set-)?cookie[\x22\x27]?[ \t]*[:=][ \t]*[\x22\x27]?(?P<all>[^\r\n\x22\x27]{4,4000})"
)
_COOKIE = Lazy(rb"([A-Za-z0-9_.\-]{1,60})=([^;\s,]{8,2000})")
_HARMLESS_COOKIE = Lazy(rb"(?i)(?:_ga|_gid|locale|theme|expires|max-age|path|domain)$")
_SLASH_LOGIN = Lazy(
    rb"(?i)(?:use|login|log in|sign in|creds?|credentials|zugangsdaten)"
    rb"[^\n.]{0,30}?[ :]([a-z0-9._@-]{2,40})"
    rb" ?/ ?(?P<s>[^\s/,]{6,60})(?= |$|[,.]|\n)"
)


def _url_login(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    match = _URL_LOGIN.match(text, start)
    if not match:
        return
    user, value = match[1], match["s"]
    if value[:1] in b"$<{%*" or value == user or is_filler(value) or is_stand_in(value):
        return
    if _VARIABLE.search(value) or (value.isdigit() and len(value) <= 5):
        return
    if value.isalpha() and (len(value) < 6 or (value.islower() and len(value) < 12)):
        return
    if value.isupper() and value.replace(b"_", b"").isalpha():
        return
    found.append((*match.span("s"), "url-password"))


def _authorization(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    match = _AUTHORIZATION.match(text, start)
    if match and not is_filler(match["s"]) and is_random(match["s"]) and not is_code(match["s"]):
        found.append((*match.span("s"), "authorization"))


def _basic(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    match = _BASIC.match(text, start)
    if match and is_login(match["s"]):
        found.append((*match.span("s"), "basic-auth"))


def _bearer(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    match = _BEARER.match(text, start)
    if match and is_token(match["s"]) and not is_code(match["s"]):
        found.append((*match.span("s"), "bearer-token"))


def _cookies(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> int:
    """Append secret cookie values; return how many bytes were weighed."""
    match = _COOKIES.match(text, start)
    if not match:
        return 0
    for pair in _COOKIE.finditer(text, *match.span("all")):
        value = pair[2]
        secret = is_token(value) or (b"%" in value and is_random(value, 24))
        if secret and not _HARMLESS_COOKIE.match(pair[1]):
            found.append((*pair.span(2), "cookie"))
    return len(match["all"])


def _slash_login(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    inside = start > 0 and text[start - 1] in ALNUM
    if inside or text.find(b"/", end, end + 80) < 0:
        return
    match = _SLASH_LOGIN.match(text, start)
    if not match or (lower[start:end] == b"use " and _is_name(match)):
        return
    if is_strong_password(match["s"]) and is_password(match["s"], True):
        found.append((*match.span("s"), "password"))


def _is_name(match: Match) -> bool:
    """`use config/mt-d30v`, `use _WIN32/_WIN64`: the word may be a file or an identifier."""
    value = match["s"]
    written_as_one = match.string[match.end(1) : match.start("s")] == b"/"
    one_case = value.islower() or value.isupper()
    return written_as_one and one_case and (b"-" in value or b"_" in value)


def detectors() -> list[tuple[bytes, int, Detector]]:
    """(anchor in lower case, cost in steps, detector)."""
    rows: list[tuple[bytes, int, Detector]] = [
        (b"://", 1, _url_login),
        (b"authorization", 2, _authorization),
        (b"authorisation", 2, _authorization),
        (b"basic ", 1, _basic),
        (b"bearer", 2, _bearer),
        (b"cookie", 14, _cookies),
    ]
    rows += [
        (word, 4, _slash_login)
        for word in (b"creds", b"login", b"sign in", b"log in", b"use ", b"zugangsdaten")
    ]
    return rows
