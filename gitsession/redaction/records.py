"""Scanning records in order: their strings by role, and the borders between them."""

from __future__ import annotations

from collections.abc import Sequence

from gitsession.redaction.borders import crossings, may_join, tail_of
from gitsession.redaction.jsonwalk import EXACT, KEY, TEXT, Literal, Piece, pieces, raw_text
from gitsession.redaction.patterns import Span
from gitsession.redaction.scanner import SHORTEST, Scanner, digest, remember
from gitsession.redaction.spans import merge

_SHORT = 64
_MOST_NAMES = 2_000
_MOST_RECORDS = 200_000
Found = dict[int, list[Span]]
"""Spans of the decoded text, by number of the literal in its document (0 in a text piece)."""


class RecordScan:
    """What stands in one record: its pieces, and what was found in each."""

    __slots__ = ("data", "found", "pieces")

    def __init__(self, data: bytes, parts: list[Piece]) -> None:
        self.data = data
        self.pieces = parts
        self.found: list[Found] = [{} for _ in parts]

    def __bool__(self) -> bool:
        return any(self.found)

    def add(self, piece: int, number: int, span: Span) -> None:
        self.found[piece][number] = merge([*self.found[piece].get(number, ()), span])


class Tail:
    """The end of the last text under one member name, and where that text stands; `scan` is None
    once the record has been given away."""

    __slots__ = ("end", "number", "piece", "scan", "text")

    def __init__(self, text: bytes, scan: RecordScan, piece: int, number: int, end: int) -> None:
        self.text = text
        self.scan: RecordScan | None = scan
        self.piece = piece
        self.number = number
        self.end = end


Tails = dict[str, Tail]


def forget_places(tails: Tails) -> None:
    """The records that the tails stand in are given away and cannot be changed any more."""
    for tail in tails.values():
        tail.scan = None


class RecordReader:
    """Reads records through one Scanner, and remembers those that were clean: a second reading
    only looks for the learned values in their bytes."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self._clean: dict[bytes, tuple[str, ...]] = {}
        self._shared: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._known: dict[str, set[str]] = {}
        self._known_keys: set[str] = set()
        self._known_version = 0
        self._names: set[str] = set()

    def record(self, data: bytes) -> RecordScan:
        """One record alone."""
        return self.records([data], {})[0] or RecordScan(data, [])

    def records(self, datas: Sequence[bytes], tails: Tails) -> list[RecordScan | None]:
        """Records in order; None for one without findings.

        `tails` holds the ends of what came before, and is brought up to date.
        """
        scans: list[RecordScan | None] = []
        for data in datas:
            mark = digest(data)
            names = self._clean.get(mark)
            if names is not None and self._is_still_clean(data):
                scans.append(None)
                for name in names:
                    tails.pop(name, None)
                continue
            scan = RecordScan(data, [])
            scans.append(scan)
            if self._read(scan, tails) and not scan:
                self._remember(mark)
        return [scan if scan else None for scan in scans]

    def texts(self, datas: Sequence[bytes]) -> list[list[Span]]:
        """Neighbouring texts, none of them a record, with the borders between them."""
        scans = []
        tails: Tails = {}
        for data in datas:
            scan = RecordScan(data, [Piece(0, len(data), None, None)])
            scans.append(scan)
            self._text_piece(scan, 0, tails)
        return [scan.found[0].get(0, []) for scan in scans]

    def _is_still_clean(self, data: bytes) -> bool:
        return not self.scanner.recalled and not self.scanner.learned.stands_in(data)

    def _remember(self, mark: bytes) -> None:
        if len(self._clean) >= _MOST_RECORDS:
            self._clean.clear()
        names = tuple(sorted(self._names))
        self._clean[mark] = self._shared.setdefault(names, names)

    def _read(self, scan: RecordScan, tails: Tails) -> bool:
        """Scans every string of a record; true when a plain search of its bytes for a value
        would find all that a search of its strings finds."""
        if self._known_version != self.scanner.learned.version or self.scanner.recalled:
            self._known.clear()
            self._known_keys.clear()
            self._known_version = self.scanner.learned.version
        self._names.clear()
        scan.pieces = pieces(scan.data, self._known_keys, SHORTEST)
        scan.found = [{} for _ in scan.pieces]
        plain = b"\\u00" not in scan.data and b"\\/" not in scan.data
        for number, piece in enumerate(scan.pieces):
            if piece.literals is None:
                plain = self._text_piece(scan, number, tails) and plain
            else:
                plain = self._literals(scan, number, piece.literals, tails) and plain
        return plain

    def _text_piece(self, scan: RecordScan, number: int, tails: Tails) -> bool:
        piece = scan.pieces[number]
        text = scan.data[piece.start : piece.end]
        found = self.scanner.text(text)
        if found:
            scan.found[number][0] = found
        plain = not self.scanner.disguised
        self._border("", text, scan, number, 0, tails)
        return plain

    def _literals(
        self, scan: RecordScan, piece: int, literals: list[Literal], tails: Tails
    ) -> bool:
        known, scanner, plain = self._known, self.scanner, True
        for number, string, role, name, _ in literals:
            if role == TEXT and string in known.get(name, ()):
                continue
            try:
                text = string.encode()
            except UnicodeEncodeError:
                text = raw_text(scan.data, scan.pieces[piece], number)
            found = scanner.exact(text) if role == EXACT else scanner.text(text, name)
            if found:
                scan.found[piece][number] = found
            elif role != EXACT and scanner.disguised:
                plain = False
            elif role != EXACT and len(string) < _SHORT:
                self._know(string, role, name)
            if role == TEXT:
                self._border(name, text, scan, piece, number, tails)
        return plain

    def _know(self, string: str, role: int, name: str) -> None:
        """Keys and short texts come again and again."""
        if role == KEY:
            remember(self._known_keys, string)
        elif name in self._known or len(self._known) < _MOST_NAMES:
            remember(self._known.setdefault(name, set()), string)

    def _border(
        self, name: str, text: bytes, scan: RecordScan, piece: int, number: int, tails: Tails
    ) -> None:
        """Looks whether the last text of that member name goes on here."""
        tail = Tail(tail_of(text), scan, piece, number, len(text.rstrip()))
        before = tails.get(name)
        if before is not None and before.text != tail.text and may_join(before.text, text):
            self._join(before, tail, text)
        tails[name] = tail
        self._names.add(name)

    def _join(self, before: Tail, tail: Tail, text: bytes) -> None:
        """Masks both parts of a token that the border of two texts cut."""
        learned = self.scanner.learned
        for back, start, end, rule in crossings(self.scanner.joined, before.text, text):
            assert tail.scan is not None
            tail.scan.add(tail.piece, tail.number, (start, end, rule))
            learned.add(text[start:end], rule)
            if not back:
                continue
            learned.add(before.text[-back:], rule)
            learned.add(before.text[-back:] + text[start:end], rule)
            if before.scan is not None:
                self._clean.pop(digest(before.scan.data), None)
                before.scan.add(before.piece, before.number, (before.end - back, before.end, rule))
