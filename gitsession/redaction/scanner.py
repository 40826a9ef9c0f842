"""Scanning strings and records, with a memory of what was judged clean already."""

from __future__ import annotations

from collections.abc import Sequence

from gitsession.redaction.borders import crossings, may_join, tail_of
from gitsession.redaction.budget import Exhausted
from gitsession.redaction.engine import Engine
from gitsession.redaction.jsonwalk import EXACT, TEXT, Literal, Piece, pieces, raw_text
from gitsession.redaction.learned import Learned
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.placeholders import UNSCANNED, Placeholders
from gitsession.redaction.recall import Recalled
from gitsession.redaction.spans import merge

_SHORTEST = 6
_SHORT = 64
_LONGEST_PLAIN_ID = 40
_PLAIN_ID = Lazy(rb"[0-9a-f-]{0,40}|[^_]{0,16}|[\dT:.+-]{16,35}Z?")
_MOST_NAMES = 5_000
_MOST_REMEMBERED = 2_000_000
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
    """The end of the last text under one member name, and where that text stands."""

    __slots__ = ("end", "number", "piece", "record", "text")

    def __init__(self, text: bytes, record: int = -1, piece: int = 0, number: int = 0,
                 end: int = 0) -> None:  # fmt: skip
        self.text = text
        self.record = record
        self.piece = piece
        self.number = number
        self.end = end


class _Place:
    """Where in a run of records a text stands."""

    __slots__ = ("datas", "record", "scans", "tails")

    def __init__(
        self,
        record: int,
        datas: Sequence[bytes],
        scans: list[RecordScan | None],
        tails: dict[str, Tail],
    ) -> None:
        self.record = record
        self.datas = datas
        self.scans = scans
        self.tails = tails


class Scanner:
    """One for a run: the engine, what was learned, what was recalled, what was found clean."""

    def __init__(self, placeholders: Placeholders, fast: bool = True) -> None:
        self.learned = Learned(fast)
        self.recalled = Recalled(placeholders)
        self._engine = Engine(placeholders, self.learned, fast)
        self._clean: set[bytes] = set()
        self._clean_records: dict[bytes, tuple[tuple[str, bytes], ...]] = {}
        self._known: dict[str, set[str]] = {}
        self._known_exact: set[str] = set()
        self._known_version = 0
        self.unscanned = 0

    def learn(self) -> None:
        """Takes over what was heard since the last time."""
        for rule, value in self._engine.heard:
            self.learned.add(value, rule)
        self._engine.heard.clear()

    def forget(self) -> None:
        """Drops what was heard and judged, so that the next text is read as the first one."""
        self._engine.heard.clear()
        self._clean.clear()

    def texts(self, datas: Sequence[bytes]) -> list[list[Span]]:
        """Neighbouring texts, none of them a record, with the borders between them."""
        scans: list[RecordScan | None] = []
        tails: dict[str, Tail] = {}
        for index, data in enumerate(datas):
            scan = RecordScan(data, [Piece(0, len(data), None, None)])
            scans.append(scan)
            self._read(scan, index, datas, scans, tails)
        return [scan.found[0].get(0, []) for scan in scans if scan is not None]

    def text(self, data: bytes, name: str = "") -> list[Span]:
        """Spans to mask in one string; all of it, when it costs too much to read."""
        if len(data) < _SHORTEST:
            return []
        member = name.encode("utf-8", "surrogatepass") if name else b""
        if member and not self._engine.key_words(member):
            member = b""
        mark = _mark(member, data)
        if mark in self._clean and not self.learned.stands_in(data):
            return self.recalled.find(data)
        try:
            found = self._engine.find(data, member)
        except Exhausted:
            self.unscanned += 1
            return [(0, len(data), UNSCANNED)]
        if not found and not self._engine.disguised and len(self._clean) < _MOST_REMEMBERED:
            self._clean.add(mark)
        return self.recalled.added_to(data, found)

    def exact(self, data: bytes) -> list[Span]:
        """Spans of anchored rules in a value that is to stay byte-exact otherwise."""
        if len(data) <= _LONGEST_PLAIN_ID and _PLAIN_ID.fullmatch(data):
            return []
        try:
            return self._engine.find_vendor(data)
        except Exhausted:
            self.unscanned += 1
            return [(0, len(data), UNSCANNED)]

    def record(self, data: bytes) -> RecordScan:
        """One record alone: JSON literals by their role, anything else as text."""
        return self.records([data], {})[0] or RecordScan(data, [])

    def records(self, datas: Sequence[bytes], tails: dict[str, Tail]) -> list[RecordScan | None]:
        """Records in order, with the borders between them; None for one without findings.

        `tails` holds the ends of what came before, and is brought up to date.
        """
        scans: list[RecordScan | None] = []
        for index, data in enumerate(datas):
            mark = _mark(b"", data)
            ends = self._clean_records.get(mark)
            if ends is not None and not self.recalled and not self.learned.stands_in(data):
                scans.append(None)
                tails.update((name, Tail(text)) for name, text in ends)
                continue
            scan = RecordScan(data, pieces(data))
            scans.append(scan)
            plain = self._read(scan, index, datas, scans, tails)
            if plain and not scan and len(self._clean_records) < _MOST_REMEMBERED:
                self._clean_records[mark] = tuple(
                    (name, tail.text) for name, tail in tails.items() if tail.record == index
                )
        return [scan if scan else None for scan in scans]

    def _read(
        self,
        scan: RecordScan,
        index: int,
        datas: Sequence[bytes],
        scans: list[RecordScan | None],
        tails: dict[str, Tail],
    ) -> bool:
        """Scans every string of a record; true when a plain search of its bytes for a value
        would find all that a search of its strings finds."""
        plain = b"\\u00" not in scan.data and b"\\/" not in scan.data
        place = _Place(index, datas, scans, tails)
        for number, piece in enumerate(scan.pieces):
            if piece.literals is None:
                text = scan.data[piece.start : piece.end]
                found = self.text(text)
                plain = plain and not self._engine.disguised
                if found:
                    scan.found[number][0] = found
                self._border("", text, number, 0, place)
                continue
            plain = self._literals(scan, number, piece.literals, place) and plain
        return plain

    def _literals(
        self, scan: RecordScan, number: int, literals: list[Literal], place: _Place
    ) -> bool:
        """Scans the strings of a document; keys and short texts are known after a while."""
        known, plain = self._known, True
        if self._known_version != self.learned.version or self.recalled:
            known.clear()
            self._known_version = self.learned.version
        for index, (string, role, name, _) in enumerate(literals):
            if len(string) < _SHORTEST:
                continue
            if string in (self._known_exact if role == EXACT else known.get(name, ())):
                continue
            try:
                text = string.encode()
            except UnicodeEncodeError:
                text = raw_text(scan.data, scan.pieces[number], index)
            if role == EXACT:
                found = self.exact(text)
            else:
                found = self.text(text, name)
                if role == TEXT:
                    self._border(name, text, number, index, place)
            if found:
                scan.found[number][index] = found
            elif len(string) < _SHORT and not self._engine.disguised:
                self._remember(string, role, name)
            plain = plain and not self._engine.disguised
        return plain

    def _remember(self, string: str, role: int, name: str) -> None:
        if role == EXACT:
            self._known_exact.add(string)
        elif len(self._known) < _MOST_NAMES:
            self._known.setdefault(name, set()).add(string)

    def _border(self, name: str, text: bytes, number: int, literal: int, place: _Place) -> None:
        """Looks whether the last text of that member name goes on here."""
        tail = Tail(tail_of(text), place.record, number, literal, len(text.rstrip()))
        before = place.tails.get(name)
        if before is not None and may_join(before.text, text):
            self._join(before, tail, text, place.datas, place.scans)
        place.tails[name] = tail

    def _join(
        self,
        before: Tail,
        tail: Tail,
        text: bytes,
        datas: Sequence[bytes],
        scans: list[RecordScan | None],
    ) -> None:
        """Masks both parts of a token that the border of two texts cut."""
        if before.text == tail.text:
            return
        for back, forth, rule in crossings(self._find_joined, before.text, text):
            scan = scans[tail.record]
            assert scan is not None
            start = len(text[:forth]) - len(text[:forth].lstrip())
            scan.add(tail.piece, tail.number, (start, forth, rule))
            self.learned.add(text[start:forth], rule)
            self.learned.add(before.text[-back:], rule)
            if before.record < 0:
                continue
            earlier = scans[before.record]
            self._clean_records.pop(_mark(b"", datas[before.record]), None)
            if earlier is not None:
                span = (before.end - back, before.end, rule)
                earlier.add(before.piece, before.number, span)

    def _find_joined(self, text: bytes) -> list[Span]:
        try:
            return self._engine.find(text)
        except Exhausted:  # pragma: no cover (900 bytes cannot cost that much)
            return []


def _mark(name: bytes, data: bytes) -> bytes:
    """Stands for a string in the memory of clean ones."""
    if len(data) < 64:
        return name + b"\x00" + data
    from hashlib import blake2b

    return blake2b(data, digest_size=16, key=name[:64]).digest()
