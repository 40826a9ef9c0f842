"""Scanning records in order: their strings by role, and the borders between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitsession import giants
from gitsession.redaction.borders import crossings, head_of, may_join, tail_of
from gitsession.redaction.jsonwalk import EXACT, KEY, TEXT, Literal, Piece, raw_text
from gitsession.redaction.patterns import Span
from gitsession.redaction.recordscan import RecordScan
from gitsession.redaction.scanner import SHORTEST, Scanner, digest, remember

_SHORT = 64
_BEGIN = 4096
"""Bytes of a giant string that are scanned for the end of what the previous text began."""
_MOST_NAMES = 2_000
_MOST_IDS = 5_000
_MOST_RECORDS = 200_000


class Tail:
    """The end of the last text under one member name, and where that text is; `scan` is None once
    the record has been handed out."""

    __slots__ = ("end", "number", "piece", "scan", "text")

    def __init__(self, text: bytes, scan: RecordScan, piece: int, number: int, end: int) -> None:
        self.text = text
        self.scan: RecordScan | None = scan
        self.piece = piece
        self.number = number
        self.end = end


Tails = dict[str, Tail]
Mark = bytes | int
"""Identifies a record in the memory of clean ones."""
Judged = dict[Mark, tuple[str, ...]]
"""Clean records, with the member names of their texts."""


class Begun(Tails):
    """Tails of a pass that begins in the middle. `texts` holds for each member name its first text,
    as far as it matters to what precedes it, and the end of that text."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, tuple[bytes, bytes]] = {}


def forget_places(tails: Tails) -> None:
    """Mark the records of these tails as handed out: they can no longer be changed."""
    for tail in tails.values():
        tail.scan = None


class RecordReader:
    """Scans records through one Scanner and remembers the clean ones: on a second reading, their
    bytes are only searched for learned values."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self._clean: Judged = {}
        self._held: dict[int, int] = {}
        self._alive: list[bytes] = []
        self._shared: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._known: dict[str, set[str]] = {}
        self._known_keys: set[str] = set()
        self._known_version = 0
        self._names: set[str] = set()
        self._ids: set[str] = set()

    def hold(self, records: Iterable[bytes], files: Iterable[bytes]) -> None:
        """Register data that stays in memory until the end: it is identified by its memory address,
        even in a fork, and need not be hashed. Equal files count as one; equal records do not,
        because each has its own neighbours."""
        self._clean.clear()  # addresses of earlier data may have been reused
        first: dict[bytes, bytes] = {}
        self._alive = [*records]
        self._held = {id(data): id(data) for data in self._alive}
        for data in files:
            self._alive.append(data)
            self._held[id(data)] = id(first.setdefault(data, data))

    def judged(self) -> Judged:
        """The memory of clean records, for another reader to `take`."""
        return self._clean

    def take(self, judged: Judged) -> None:
        if len(self._clean) + len(judged) < _MOST_RECORDS:
            self._clean.update(judged)

    def record(self, data: bytes) -> RecordScan:
        """Scan one record on its own."""
        return self.records([data], {})[0] or RecordScan(data, [])

    def records(self, datas: Sequence[bytes], tails: Tails) -> list[RecordScan | None]:
        """Scan records in order; None for each without findings.

        `tails` holds the ends of the texts that came before, and is updated.
        """
        scans: list[RecordScan | None] = []
        for data in datas:
            mark = self._mark(data)
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
        """Scan neighbouring texts that are not records, including the borders between them."""
        scans = []
        tails: Tails = {}
        for data in datas:
            scan = RecordScan(data, [Piece(0, len(data), None, None)])
            scans.append(scan)
            self._text_piece(scan, 0, tails)
        return [scan.plain_spans() for scan in scans]

    def _is_still_clean(self, data: bytes) -> bool:
        return not self.scanner.recalled and not self.scanner.learned.stands_in(data)

    def _mark(self, data: bytes) -> Mark:
        return self._held.get(id(data)) or digest(data)

    def _remember(self, mark: Mark) -> None:
        if len(self._clean) >= _MOST_RECORDS:
            self._clean.clear()
        names = tuple(sorted(self._names))
        self._clean[mark] = self._shared.setdefault(names, names)

    def _read(self, scan: RecordScan, tails: Tails) -> bool:
        """Scan every string of a record. Returns whether searching its raw bytes for a value would
        find everything that searching its strings finds."""
        if self._known_version != self.scanner.learned.version or self.scanner.recalled:
            self._known.clear()
            self._known_keys.clear()
            self._known_version = self.scanner.learned.version
        self._names.clear()
        scan.read(self._known_keys, SHORTEST)
        # A backward search looks for the backslash, which is rarer than what follows it.
        plain = scan.data.rfind(b"\\/") < 0 and scan.data.rfind(b"\\u00") < 0
        for number, piece in enumerate(scan.pieces):
            if piece.literals is None:
                plain = self._text_piece(scan, number, tails) and plain
            else:
                plain = self._literals(scan, number, piece.literals, tails) and plain
                if self.scanner.learned.numbers:
                    scan.read_numbers(number, self.scanner.learned)
        return plain

    def _text_piece(self, scan: RecordScan, number: int, tails: Tails) -> bool:
        piece = scan.pieces[number]
        if piece.end - piece.start >= giants.LINE:
            whole = (piece.start, piece.end)
            return self._giant(scan, number, whole, (0, "", TEXT, "", 0), tails)
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
        giants = scan.giants(scan.pieces[piece])
        for literal in literals:
            number, string, role, name, _ = literal
            if giants and number in giants:
                plain = self._giant(scan, piece, giants[number], literal, tails) and plain
                continue
            if role == TEXT and string in known.get(name, ()):
                continue
            if role == EXACT and string in self._ids:
                continue
            try:
                text = string.encode()
            except UnicodeEncodeError:
                text = raw_text(scan.text, scan.pieces[piece], number)
            found = scanner.exact(text) if role == EXACT else scanner.text(text, name)
            if found:
                scan.found[piece][number] = found
            elif role == EXACT:
                self._know_id(string)
            elif scanner.disguised:
                plain = False
            elif len(string) < _SHORT:
                self._know(string, role, name)
            if role == TEXT:
                self._border(name, text, scan, piece, number, tails)
        return plain

    def _giant(
        self, scan: RecordScan, piece: int, where: tuple[int, int], literal: Literal, tails: Tails
    ) -> bool:
        """Scan a giant string, window by window."""
        from gitsession.redaction.windows import scanned, windows

        number, _, role, name, _ = literal
        scanner, plain = self.scanner, True
        is_json = scan.pieces[piece].literals is not None
        first = len(scan.windows)
        begun = text = b""

        def texts() -> Iterator[bytes]:
            nonlocal begun, text
            for window in windows(scan.data, *where, is_json, number):
                scan.windows.append(window)
                text = window.text(scan.data)
                begun = begun or text[:_BEGIN]
                yield text

        def find(part: bytes) -> list[Span]:
            nonlocal plain
            found = scanner.exact(part) if role == EXACT else scanner.text(part, name)
            plain = plain and (role == EXACT or not scanner.disguised)
            return found

        for place, span in scanned(texts(), find, role != EXACT):
            scan.add(piece, -1 - first - place, span)
        if role == TEXT:
            self._border(name, begun, scan, piece, -1 - first, tails)
            end = len(text.rstrip())
            tails[name] = Tail(tail_of(text), scan, piece, -len(scan.windows), end)
        return plain

    def _know(self, string: str, role: int, name: str) -> None:
        """Remember a clean key or short text: they recur all the time."""
        if role == KEY:
            remember(self._known_keys, string)
        elif name in self._known or len(self._known) < _MOST_NAMES:
            remember(self._known.setdefault(name, set()), string)

    def _know_id(self, string: str) -> None:
        """Remember a clean id: records name their neighbours, and learning never affects ids."""
        if len(self._ids) >= _MOST_IDS:
            self._ids.clear()
        if len(string) < _SHORT:
            self._ids.add(string)

    def _border(
        self, name: str, text: bytes, scan: RecordScan, piece: int, number: int, tails: Tails
    ) -> None:
        """Check whether this text continues the last text under that member name."""
        tail = Tail(tail_of(text), scan, piece, number, len(text.rstrip()))
        before = tails.get(name)
        if before is None and isinstance(tails, Begun):
            tails.texts.setdefault(name, (head_of(text), tail.text))
        if before is not None and before.text != tail.text and may_join(before.text, text):
            self._join(before, tail, text)
        tails[name] = tail
        self._names.add(name)

    def _join(self, before: Tail, tail: Tail, text: bytes) -> None:
        """Mask both parts of a token that the border of two texts cuts."""
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
                self._clean.pop(self._mark(before.scan.data), None)
                before.scan.add(before.piece, before.number, (before.end - back, before.end, rule))
