"""Blocks of lines: PEM in any state, PuTTY, JWK, Kubernetes, pgpass, netrc, seed phrases."""

# ruff: noqa: ARG001 (all detectors have one signature)
from __future__ import annotations

from gitsession.redaction.carriers import Detector
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import decode_base64, is_filler, is_password
from gitsession.redaction.words import is_stand_in

LINE_PREFIX = rb"[ \t+>|\d\xe2\x86\x92]{0,40}"
"""What a diff, a quote or a numbered listing puts before a line (`→` as its three bytes)."""

_LONGEST = 20_000
_BEGIN = Lazy(rb"-----BEGIN (?P<kind>(?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?)-----")
_BASE64_WORD = Lazy(rb"[A-Za-z0-9+/=]{8,}")
_BODY_LINE = Lazy(LINE_PREFIX + rb"[A-Za-z0-9+/=]{1,120}|[A-Za-z-]{2,20}: .{0,80}")
_FULL_LINE = Lazy(LINE_PREFIX + rb"[A-Za-z0-9+/=]{16,120}\s*")
_JWK_MEMBER = Lazy(rb'"(?:d|p|q|dp|dq|qi|k)"[ ]*:[ ]*"(?P<s>[A-Za-z0-9_-]{20,1400})"')
_PUTTY = Lazy(
    rb"Private-Lines: \d+[^\n]{0,40}\n"
    + LINE_PREFIX
    + rb"(?P<s>[A-Za-z0-9+/=]{8,200}(?:[ \\\r]{0,40}\n(?:[ \t]*\n)?"
    + LINE_PREFIX
    + rb"[A-Za-z0-9+/=]{8,200}(?=[ \\\r]{0,40}(?:\n|$))){0,100})"
)
_API_VERSION = Lazy(rb"(?m)apiVersion")
_KUBERNETES = Lazy(
    rb"(?m)^[^\n]{0,14}?\s{2,20}([A-Za-z0-9_.-]{1,80}): {1,8}[\x22\x27]?"
    rb"(?P<s>[A-Za-z0-9+/]{8,4096}={0,2})[\x22\x27]?[ \t\r]*$"
)
_KUBERNETES_NAME = Lazy(rb"(?i)name|namespace|uid|user")
_PGPASS = Lazy(
    rb"(?m)(?:^[ +\-\t\d\xe2\x86\x92]{0,40}|(?<=[\s\x22\x27]))[A-Za-z0-9.*_-]{1,100}:(?:\d{2,5}|\*)"
    rb":[A-Za-z0-9_*-]{1,60}:[A-Za-z0-9_*-]{1,60}:(?P<s>[^\s:\x22\x27\\]{4,200})"
    rb"(?=[ \t\\]*(?:\r?$|[\x22\x27]))"
)
_NETRC = Lazy(rb"\bpassword[ \t]{1,8}(?P<s>[^\s\x22\x27\\]{4,200})")
_PHRASE = Lazy(rb"(?:[a-z]{3,8}[ \t\n,]{1,3}){11,24}[a-z]{3,8}")
_WORD = Lazy(rb"[a-z]+")
_SEED_WORDS = (b"mnemonic", b"seed phrase", b"recovery phrase", b"wallet", "助记词".encode(),
               b"seed words", b"bip39")  # fmt: skip
_PRINTABLE = bytes(range(32, 127)) + b"\t\n\r"


def _pem(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    begins = text.rfind(b"-----BEGIN", max(0, start - 60), start)
    ends = text.rfind(b"-----END", max(0, start - 60), start)
    if ends > begins:
        _pem_tail(text, ends, found)
    elif begins >= 0:
        _pem_block(text, begins, found)


def _pem_block(text: bytes, begins: int, found: list[Span]) -> None:
    match = _BEGIN.match(text, begins)
    if not match:
        return
    start = match.end()
    stop = text.find(b"-----END " + match["kind"] + b"-----", start, start + _LONGEST)
    if stop < 0:
        stop = _pem_head(text, start)
        if stop - start < 30:
            return
    elif sum(map(len, _BASE64_WORD.findall(text, start, stop))) < 40:
        return
    found.append((start, stop, "private-key"))


def _pem_head(text: bytes, start: int) -> int:
    """Where a key without an end marker ends: after the lines that look like its body."""
    at = last = start
    for _ in range(200):
        line_end = text.find(b"\n", at, at + 300)
        if line_end < 0:
            if at + 300 < len(text):
                break
            line_end = len(text)
        line = text[at:line_end].strip()
        if line:
            if not _BODY_LINE.fullmatch(line):
                break
            last = line_end
        at = line_end + 1
        if at >= len(text):
            break
    return last


def _pem_tail(text: bytes, ends: int, found: list[Span]) -> None:
    """Append a key whose begin marker is missing: the full lines upwards from the end marker."""
    floor = max(0, ends - _LONGEST)
    begin = text.rfind(b"-----BEGIN", floor, ends)
    if begin >= 0 and text.rfind(b"-----END", floor, ends) <= begin:
        return
    at = ends
    while at > floor:
        line_start = text.rfind(b"\n", max(0, at - 300), max(0, at - 1)) + 1
        if not line_start and at > 300:
            break
        if not _FULL_LINE.fullmatch(text[line_start:at].strip(b"\r\n") or b"-"):
            break
        at = line_start
    if ends - at > 30:
        found.append((at, ends - 1, "private-key"))


def _jwk(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    members = _JWK_MEMBER.finditer(text, max(0, start - 3000), min(len(text), end + 3000))
    found.extend((*match.span("s"), "jwk-private") for match in members)


def _putty(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    match = _PUTTY.match(text, start)
    if match:
        found.append((*match.span("s"), "private-key"))


def _kubernetes(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    first, last = max(0, start - 600), end + 4000
    if not _API_VERSION.search(text, first, last):
        return
    for match in _KUBERNETES.finditer(text, first, min(len(text), last)):
        if _KUBERNETES_NAME.match(match[1]):
            continue
        plain = decode_base64(match["s"])
        if plain and len(plain) >= 6 and not plain.translate(None, _PRINTABLE):
            found.append((*match.span("s"), "k8s-secret"))


def _pgpass(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    line = text.rfind(b"\n", max(0, start - 300), start) + 1
    if not line and start > 300:
        return
    found.extend(
        (*match.span("s"), "pgpass")
        for match in _PGPASS.finditer(text, line, min(len(text), end + 400))
        if not (is_filler(match["s"]) or is_stand_in(match["s"]) or match["s"][:1] in b"$<{")
    )


def _netrc(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    found.extend(
        (*match.span("s"), "netrc")
        for match in _NETRC.finditer(text, start, min(len(text), start + 300))
        if b"login" in text[start : match.start()] and is_password(match["s"], True)
    )


def _seed_phrase(text: bytes, lower: bytes, start: int, end: int, found: list[Span]) -> None:
    for match in _PHRASE.finditer(lower, end, min(len(text), end + 500)):
        from gitsession.redaction.seedwords import is_seed_word

        run: list[tuple[int, int]] = []
        for word in _WORD.finditer(lower, *match.span()):
            if is_seed_word(word[0]):
                run.append(word.span())
                continue
            _add_phrase(run, found)
            run = []
        _add_phrase(run, found)


def _add_phrase(run: list[tuple[int, int]], found: list[Span]) -> None:
    if len(run) >= 12:
        found.append((run[0][0], run[-1][1], "seed-phrase"))


def detectors() -> list[tuple[bytes, int, Detector]]:
    """(anchor in lower case, cost in steps, detector)."""
    rows: list[tuple[bytes, int, Detector]] = [
        (b"private key", 2, _pem),
        (b"private-lines", 2, _putty),
        (b"kind: secret", 24, _kubernetes),
        (b'"kty"', 5, _jwk),
        (b":5432:", 2, _pgpass),
        (b":3306:", 2, _pgpass),
        (b".pgpass", 2, _pgpass),
        (b"machine ", 2, _netrc),
    ]
    return rows + [(word, 2, _seed_phrase) for word in _SEED_WORDS]
