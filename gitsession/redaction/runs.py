"""Long runs of token characters: encodings to look into.

Base64 (wrapped too), hex and percent escapes are decoded and scanned again, three levels deep, with
what gzip, zlib or UTF-16 hold inside; when something is found there, the whole run is masked.
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
"""So many letters and digits without a break has every token, and every encoding of a text."""

_PERCENT = Lazy(rb"%([0-9A-Fa-f]{2})")
_BASE64 = Lazy(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
_BLOCK = Lazy(
    rb"[A-Za-z0-9+/]{60,76}(?:\s{1,3}[A-Za-z0-9+/]{60,76}){0,400}"
    rb"(?:\s{1,3}[A-Za-z0-9+/]{1,76}={0,2}(?=\s|$))?"
)
_WHITE = Lazy(rb"\s+")
_HEX_MARK = bytes(120 if code in b"0123456789abcdefABCDEF" else 32 for code in range(256))
_LONG_HEX = b"x" * 48
_HEX = Lazy(rb"[0-9a-fA-F]{48,}")
_ENTERED = 16 << 10
_PACKED = (b"\x1f\x8b", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
_GZIP_OR_ZLIB = 47
_JOSE = Lazy(rb'"(?:alg|typ)"')
_PRINTABLE = bytes(range(32, 127)) + b"\t\n\r"


def runs(text: bytes) -> Iterator[tuple[int, int]]:
    """Every maximal run of 32 and more token characters, but for paths and dotted names: those are
    long, and no part of them is."""
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
    """Looks into runs; `scan` is called with what they decode to."""

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
        if len(run) >= _SHORTEST_CODE:
            self._base64(text, start, end, depth, found)
            if _LONG_HEX in run.translate(_HEX_MARK):
                self._hex(text, start, end, depth, found)

    def _inside(self, data: bytes, depth: int) -> list[Span]:
        self.looked_inside = True
        self._budget.spend(1 + len(data) // 64)
        return self._scan(data, depth + 1)

    def _percent(self, start: int, run: bytes, depth: int, found: list[Span]) -> None:
        """Every byte has its place, so that only the secret goes and the URL stays."""
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
        """Base64 over several lines; read at its first line only."""
        start, end = first
        if text[end : end + 1] not in (b"\n", b" ") or depth >= DEEPEST - 1:
            return False
        block = _BLOCK.match(text, start)
        if not block or block.end() <= end:
            return False
        if any(rule == "encoded" and begin <= start < stop for begin, stop, rule in found[-4:]):
            return True
        data = self._text_in(decode_base64(_WHITE.sub(b"", block[0])))
        if data is None or not self._inside(data, depth):
            return False
        found.append((start, block.end(), "encoded"))
        return True

    def _plain(self, piece: bytes, is_first: bool) -> bytes | None:
        """What the base64 holds, if that is text (or text that was packed or made wide)."""
        head = decode_base64(piece[:400])
        if head is None:
            return None
        if head[:2] in _PACKED or _is_wide(head):
            return self._text_in(decode_base64(piece))
        if not _is_text(head) and not (is_first and _is_text_somewhere(piece)):
            return None
        return decode_base64(piece) if len(piece) > 400 else head

    def _text_in(self, data: bytes | None) -> bytes | None:
        """The text that some bytes are, None if they are none."""
        if data is None:
            return None
        if data[:2] in _PACKED:
            return self._unzip(data)
        if _is_wide(data):
            return data.replace(b"\0", b"").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
        return data if _is_text(data) else None

    def _unzip(self, data: bytes) -> bytes | None:
        import zlib

        try:
            plain = zlib.decompressobj(_GZIP_OR_ZLIB).decompress(data, self._budget.expansion)
        except zlib.error:
            return None
        self._budget.expand(len(plain))
        return plain

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


def _is_wide(data: bytes) -> bool:
    """ASCII in UTF-16, as PowerShell encodes its commands."""
    head = data[2:300] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else data[:300]
    even, odd = head[::2], head[1::2]
    letters = odd if not even.strip(b"\0") else even if not odd.strip(b"\0") else b"\0"
    return len(head) > 15 and not letters.translate(None, _PRINTABLE)


def _is_text(data: bytes) -> bool:
    head = data[:300]
    return len(head.translate(None, _PRINTABLE)) <= 0.03 * len(head)


def _is_text_somewhere(piece: bytes) -> bool:
    """Whether base64 that may have been entered in its middle (see `windows`) holds some text."""
    if len(piece) < _ENTERED:
        return False
    parts = (piece[at : at + 400] for at in range(0, len(piece), 400))
    return any(_is_text(decode_base64(part) or b"\0") for part in parts)


def _is_jose(text: bytes, end: int, data: bytes) -> bool:
    """The header of a token, not text that someone encoded."""
    return text[end : end + 1] == b"." and _JOSE.search(data, 0, 80) is not None
