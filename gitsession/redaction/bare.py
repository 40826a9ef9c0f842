"""Token forms without a literal suitable as an anchor; searched for in long runs only."""

from __future__ import annotations

from collections.abc import Callable

from gitsession.redaction.keyfiles import LINE_PREFIX
from gitsession.redaction.lines import continuation
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import decode_base64, is_random, is_wallet_key, lowers, uppers

# Each starts with a literal or a small class and looks behind it afterwards: this makes it fast.
_JWT = Lazy(rb"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{6,}")
_JWE = Lazy(rb"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){4}")
_DISCORD = Lazy(
    rb"[MNO](?<![A-Za-z0-9_-].)[A-Za-z0-9]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"
    rb"(?![A-Za-z0-9_-])"
)
_ZHIPU = Lazy(rb"\.(?<=[0-9a-f]{32}\.)(?<![0-9a-zA-Z].{33})[A-Za-z0-9]{16}(?![A-Za-z0-9])")
_AIRTABLE = Lazy(rb"pat(?<![0-9a-zA-Z]pat)[A-Za-z0-9]{14}\.[0-9a-f]{64}")
_WALLET = Lazy(rb"[5KL](?<![A-Za-z0-9].)[1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])")
_TWILIO = Lazy(rb"SK(?<![0-9a-zA-Z]SK)(?:[0-9a-f]{32}|[0-9A-F]{32})(?![0-9A-Za-z])")
_SNOWFLAKE = Lazy(rb"\d{17,20}")
_KEY_STARTS = (b"MC4CAQ", b"MHcCAQ", b"MIGHAg")
_KEY_BYTES = Lazy(rb"(?s)\x30(?:\x82..|\x81.|.)\x02\x01[\x00\x01](?:\x02\x82|\x02\x81|\x30|\x04)")
_KEY_LINE = Lazy(rb"\s{1,3}" + LINE_PREFIX + rb"([A-Za-z0-9+/]{16,120}={0,2})(?=\s|$)")


def _is_discord(token: bytes) -> bool:
    name = decode_base64(token.split(b".")[0]) or b""
    return is_random(token[-27:]) and _SNOWFLAKE.fullmatch(name) is not None


def _is_zhipu(token: bytes) -> bool:
    name = token[33:]
    return is_random(name) or (uppers(name) >= 3 and lowers(name) >= 3)


# Pattern, bytes of the token before the match, rule, final check.
_Form = tuple[Lazy, int, str, Callable[[bytes], bool]]
_DOTTED: tuple[_Form, ...] = (
    (_DISCORD, 0, "discord-bot", _is_discord),
    (_ZHIPU, 32, "zhipu-key", _is_zhipu),
    (_AIRTABLE, 0, "airtable-token", bool),
)
_WALLETS: tuple[_Form, ...] = ((_WALLET, 0, "wallet-key", is_wallet_key),)
_TWILIOS: tuple[_Form, ...] = ((_TWILIO, 0, "twilio-key", is_random),)
_JWES: tuple[_Form, ...] = ((_JWE, 0, "jwt", bool),)


def find_bare(text: bytes, start: int, end: int, found: list[Span]) -> None:
    """Append the tokens in the run [start, end) to `found`."""
    run = text[start:end]
    size = end - start
    forms: tuple[_Form, ...] = ()
    if size >= 49 and b"." in run:
        forms = _DOTTED
    if size >= 51:
        forms += _WALLETS
    if b"SK" in run:
        forms += _TWILIOS
    if b"eyJ" in run:
        forms += _JWES
        found.extend(
            (match.start(), continuation(text, match.end()), "jwt")
            for match in _JWT.finditer(text, start, end)
        )
    for pattern, back, rule, is_real in forms:
        for match in pattern.finditer(text, start, end):
            begin = match.start() - back
            if is_real(text[begin : match.end()]):
                found.append((begin, match.end(), rule))


def find_bare_key(text: bytes, start: int, end: int, found: list[Span]) -> bool:
    """Append the body of a private key whose markers were cut off, if the run is its first line;
    return whether it is."""
    run = text[start : start + 60]
    if not (run[:3] == b"MII" and len(run) == 60) and run[:6] not in _KEY_STARTS:
        return False
    if not _KEY_BYTES.match(decode_base64(run) or b""):
        return False
    line = _KEY_LINE.match(text, end)
    while line:
        end = line.end()
        line = _KEY_LINE.match(text, end)
    found.append((start, end, "private-key"))
    return True
