"""Long runs of token characters: encodings that are decoded and scanned.

Base64 and base32 (even wrapped), hex and percent escapes are decoded and scanned again, three
levels deep, including gzip, zlib, bzip2, xz or UTF-16 inside. If something is found there, the
whole run is masked (of percent escapes, only the secret).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitsession.redaction.budget import Budget
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import ALNUM, decode_base64
from gitsession.redaction.views import build

Scan = Callable[[bytes, int], list[Span]]
"""Scans decoded bytes at a depth."""

DEEPEST = 3
SHORTEST_RUN = 32
_SHORTEST_CODE = 34
_RUN_BYTES = b"+/=_-.%"
_MARK = bytes(120 if code in ALNUM or code in _RUN_BYTES else 32 for code in range(256))
_LONG = b"x" * SHORTEST_RUN
_ALNUM_MARK = bytes(120 if code in ALNUM else 32 for code in range(256))
_SOLID = b"x" * 16
"""Every token, and every encoding of a text, has this many letters and digits without a break."""

_PERCENT = Lazy(rb"%([0-9A-Fa-f]{2})")
_BASE64 = Lazy(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
_BLOCK = Lazy(
    rb"[A-Za-z0-9+/]{60,76}(?:\s{1,3}[A-Za-z0-9+/]{60,76}){0,400}"
    rb"(?:\s{1,3}[A-Za-z0-9+/]{1,76}={0,6}(?=\s|$))?"
)
_WHITE = Lazy(rb"\s+")
_HEX_MARK = bytes(120 if code in b"0123456789abcdefABCDEF" else 32 for code in range(256))
_LONG_HEX = b"x" * 48
_HEX = Lazy(rb"[0-9a-fA-F]{48,}")
_BASE32 = Lazy(rb"[A-Z2-7]{32,}")
_BASE32_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE32_MARK = bytes(120 if code in _BASE32_LETTERS else 32 for code in range(256))
_ENTERED = 16 << 10
_PACKED = (b"\x1f\x8b", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"BZ", b"\xfd7")
_XZ_MEMORY = 64 << 20
"""Bytes of memory that an xz stream may use: the presets up to 6 need 9 MB."""
_GZIP_OR_ZLIB = 47
_JOSE = Lazy(rb'"(?:alg|typ)"')
_PRINTABLE = bytes(range(32, 127)) + b"\t\n\r"


def runs(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield every maximal run of 32 or more token characters. Paths and dotted names are skipped:
    they are long, but none of their parts is."""
    marks = text.translate(_MARK)
    start = marks.find(_LONG)
    solid = text.translate(_ALNUM_MARK) if start >= 0 else b""
    escaped = b"%" in text
    while start >= 0:
        end = marks.find(b" ", start + SHORTEST_RUN)
        if end < 0:
            end = len(text)
        if solid.find(_SOLID, start, end) >= 0 or (escaped and text.find(b"%", start, end) >= 0):
            yield start, end
        start = marks.find(_LONG, end)


class RunReader:
    """Decodes runs; `scan` is called with the decoded bytes."""

    __slots__ = ("_budget", "_scan", "looked_inside")

    def __init__(self, scan: Scan, budget: Budget) -> None:
        self._scan = scan
        self._budget = budget
        self.looked_inside = False

    def read(self, text: bytes, start: int, end: int, depth: int, found: list[Span]) -> None:
        from gitsession.redaction.bare import find_bare, find_bare_key

        run = text[start:end]
        self._budget.spend(1 + len(run) // 256)
        find_bare(text, start, end, found)
        if find_bare_key(text, start, end, found):
            return
        if depth >= DEEPEST:
            return
        if b"%" in run:
            self._percent(start, run, depth, found)
        if _may_hold_base32(run) and _LONG in run.translate(_BASE32_MARK):
            self._base32(text, start, end, depth, found)
        if len(run) >= _SHORTEST_CODE:
            self._base64(text, start, end, depth, found)
            if _LONG_HEX in run.translate(_HEX_MARK):
                self._hex(text, start, end, depth, found)

    def _inside(self, data: bytes, depth: int) -> list[Span]:
        self.looked_inside = True
        self._budget.spend(1 + len(data) // 64)
        return self._scan(data, depth + 1)

    def _percent(self, start: int, run: bytes, depth: int, found: list[Span]) -> None:
        """Decode byte by byte, so that only the secret is masked and the URL stays."""
        view = build(run, _PERCENT, lambda match: bytes([int(match[1], 16)]))
        if view is None:
            return
        for first, last, rule in self._inside(view.text, depth):
            begin, stop = view.source(first, last)
            found.append((start + begin, start + stop, rule))

    def _base64(self, text: bytes, start: int, end: int, depth: int, found: list[Span]) -> None:
        for match in _BASE64.finditer(text, start, end):
            piece = match[0]
            limit = len(piece) // 8
            words = piece.count(b"-") > limit or piece.count(b"_") > limit
            if words or len(piece) < _SHORTEST_CODE:
                continue
            if 60 <= len(piece) <= 76 and self._block(text, match.span(), depth, found):
                return
            data = self._plain(piece, match.start() == 0)
            if data is None or (
                depth == 0 and piece[:3] == b"eyJ" and _is_jose(text, match.end(), data)
            ):
                continue
            if self._inside(data, depth):
                found.append((*match.span(), "encoded"))

    def _block(self, text: bytes, first: tuple[int, int], depth: int, found: list[Span]) -> bool:
        """Decode an encoding over several lines, only at its first; return whether it is masked."""
        start, end = first
        if text[end : end + 1] not in (b"\n", b" ") or depth >= DEEPEST - 1:
            return False
        block = _BLOCK.match(text, start)
        if not block or block.end() <= end:
            return False
        if any(rule == "encoded" and begin <= start < stop for begin, stop, rule in found[-4:]):
            return True
        whole = _WHITE.sub(b"", block[0])
        data = self._text_in(decode_base64(whole)) or self._text_in(_decode_base32(whole))
        if data is None or not self._inside(data, depth):
            return False
        found.append((start, block.end(), "encoded"))
        return True

    def _plain(self, piece: bytes, is_first: bool) -> bytes | None:
        """What the base64 decodes to, if that is text (maybe packed or UTF-16), else None."""
        head = decode_base64(piece[:400])
        if head is None:
            return None
        if head[:2] in _PACKED or _is_wide(head):
            return self._text_in(decode_base64(piece))
        if not _is_text(head) and not (is_first and _is_text_somewhere(piece)):
            return None
        return decode_base64(piece) if len(piece) > 400 else head

    def _text_in(self, data: bytes | None) -> bytes | None:
        """The text that some bytes represent, None if they represent none."""
        if data is None:
            return None
        if data[:2] in _PACKED and (plain := self._unpacked(data)) is not None:
            return plain
        if _is_wide(data):
            return data.replace(b"\0", b"").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
        return data if _is_text(data) else None

    def _unpacked(self, data: bytes) -> bytes | None:
        """Unpack packed data as far as the budget allows; None if it is not packed."""
        try:
            plain = _unpack(data, self._budget.expansion)
        except Exception:  # noqa: BLE001 - each of the three fails in ways of its own, or is missing
            return None
        self._budget.expand(len(plain))
        return plain

    def _base32(self, text: bytes, start: int, end: int, depth: int, found: list[Span]) -> None:
        for match in _BASE32.finditer(text, start, end):
            if 60 <= len(match[0]) <= 76 and self._block(text, match.span(), depth, found):
                return
            head = _decode_base32(match[0][:400])
            if head is None or not (head[:2] in _PACKED or _is_wide(head) or _is_text(head)):
                continue
            data = self._text_in(_decode_base32(match[0]))
            if data and self._inside(data, depth):
                found.append((*match.span(), "encoded"))

    def _hex(self, text: bytes, start: int, end: int, depth: int, found: list[Span]) -> None:
        for match in _HEX.finditer(text, start, end):
            if len(match[0]) % 2:
                continue
            data: bytes | None = bytes.fromhex(match[0].decode("ascii"))
            assert data is not None
            if data.translate(None, _PRINTABLE):
                data = self._text_in(data) if data[:2] in _PACKED or _is_wide(data) else None
            if data and self._inside(data, depth):
                found.append((*match.span(), "encoded"))


def _unpack(data: bytes, most: int) -> bytes:
    """Unpack at most `most` bytes of gzip, zlib, bzip2 or xz. Raises the errors of their
    modules."""
    if data[:2] == b"BZ":
        from bz2 import BZ2Decompressor

        return BZ2Decompressor().decompress(data, most)
    if data[:2] == b"\xfd7":
        from lzma import FORMAT_XZ, LZMADecompressor

        return LZMADecompressor(FORMAT_XZ, _XZ_MEMORY).decompress(data, most)
    from zlib import decompressobj

    return decompressobj(_GZIP_OR_ZLIB).decompress(data, most)


def _may_hold_base32(run: bytes) -> bool:
    """Cheap: in a run of less than 63 bytes, 32 in a row cover the one in the middle."""
    return len(run) > 62 or (len(run) >= SHORTEST_RUN and run[SHORTEST_RUN - 1] in _BASE32_LETTERS)


def _decode_base32(value: bytes) -> bytes | None:
    """Decode the whole groups of base32, padding optional; None if it is not base32."""
    value = value.rstrip(b"=")
    if value.translate(_BASE32_MARK).strip(b"x"):
        return None
    from base64 import b32decode

    if len(value) % 8 in (1, 3, 6):  # cut within a byte
        value = value[: -(len(value) % 8)]
    try:
        return b32decode(value + b"=" * (-len(value) % 8))
    except ValueError:
        return None


def _is_wide(data: bytes) -> bool:
    """Whether it is ASCII in UTF-16, as PowerShell encodes its commands."""
    head = data[2:300] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else data[:300]
    even, odd = head[::2], head[1::2]
    letters = odd if not even.strip(b"\0") else even if not odd.strip(b"\0") else b"\0"
    return len(head) > 15 and not letters.translate(None, _PRINTABLE)


def _is_text(data: bytes) -> bool:
    head = data[:300]
    return len(head.translate(None, _PRINTABLE)) <= 0.03 * len(head)


def _is_text_somewhere(piece: bytes) -> bool:
    """Whether base64 that was possibly entered in its middle (see `windows`) holds some text."""
    if len(piece) < _ENTERED:
        return False
    parts = (piece[at : at + 400] for at in range(0, len(piece), 400))
    return any(_is_text(decode_base64(part) or b"\0") for part in parts)


def _is_jose(text: bytes, end: int, data: bytes) -> bool:
    """Whether it is the header of a token, rather than text that someone encoded."""
    return text[end : end + 1] == b"." and _JOSE.search(data, 0, 80) is not None
