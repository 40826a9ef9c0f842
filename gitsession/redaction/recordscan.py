"""The scan of one record: its pieces, the findings in each, and the replacements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

from gitsession import giants
from gitsession.redaction.jsonwalk import (
    Edit,
    Piece,
    edits,
    literals,
    pieces,
    places,
    spans_of_literals,
    text_edits,
)
from gitsession.redaction.patterns import Span
from gitsession.redaction.spans import merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.learned import Learned
    from gitsession.redaction.windows import Window

Name = Callable[[bytes, str], str]
"""Returns the placeholder for a value that a rule found."""
Found = dict[int, list[Span]]
"""Spans of the decoded text by number of the literal in its document (0 in a text piece); those in
window `n` of a giant string by -1 - n."""

Bare = tuple[int, int, bytes, str]
"""A bare number in a document (start, end), the learned value in it, its rule."""


class RecordScan:
    """The scan of one record: its pieces and the findings in each.

    The pieces refer to `text`: the record, or its outline if it has giant strings, which are
    scanned in `windows`.
    """

    __slots__ = ("data", "found", "numbers", "outline", "pieces", "text", "windows")

    def __init__(self, data: bytes, parts: list[Piece]) -> None:
        self.data = self.text = data
        self.outline: giants.Outline | None = None
        self.windows: list[Window] = []
        self.pieces = parts
        self.found: list[Found] = [{} for _ in parts]
        self.numbers: list[list[Bare]] = [[] for _ in parts]

    def __bool__(self) -> bool:
        return any(self.found) or any(self.numbers)

    def add(self, piece: int, number: int, span: Span) -> None:
        self.found[piece][number] = merge([*self.found[piece].get(number, ()), span])

    def read(self, known: AbstractSet[str], shortest: int) -> None:
        """Split the record into pieces, without findings yet."""
        short = giants.outline(self.data)
        parts = pieces(short.data if short else self.data, known, shortest)
        self.outline, self.text, self.windows = None, self.data, []
        if short is not None:
            if all(piece.literals is not None for piece in parts):
                self.outline, self.text = short, short.data
            else:  # an outline of something that is not JSON is useless
                parts = [Piece(0, len(self.data), None, None)]
        self.pieces = parts
        self.found = [{} for _ in parts]
        self.numbers = [[] for _ in parts]

    def read_numbers(self, number: int, learned: Learned) -> None:
        """Find learned values that occur in a document without quotes."""
        piece = self.pieces[number]
        text = self.text[piece.start : piece.end]
        values = [value for value in learned.numbers if value in text]
        if values:
            from gitsession.redaction.scalars import holding

            rows = ((*place, learned.rule(place[2], "secret")) for place in holding(text, values))
            self.numbers[number] = list(rows)

    def giants(self, piece: Piece) -> dict[int, tuple[int, int]]:
        """The spans in the record of a piece's giant strings, by literal number."""
        if self.outline is None:
            return {}
        known = {giant.place: (giant.start, giant.end) for giant in self.outline.giants}
        starts = spans_of_literals(self.text[piece.start : piece.end])
        return {
            number: known[piece.start + start]
            for number, (start, _) in enumerate(starts)
            if piece.start + start in known
        }

    def edits(self, name: Name) -> Iterator[tuple[Edit, str]]:
        """Yield the replacements in the record, in order, each with the path of its string."""
        for piece, found, numbers in zip(self.pieces, self.found, self.numbers, strict=True):
            if not found and not numbers:
                continue
            made = [*self._edits_in(piece, found, name), *self._edits_of_giants(found, name)]
            made += self._edits_of_numbers(piece, numbers, name)
            made.sort(key=lambda edit: edit.start)
            if piece.literals is None:
                made = self._as_scalars(piece, made)
            paths = [] if piece.literals is None else places(piece.value)
            for edit in made:
                yield edit, paths[edit.number] if paths and edit.number >= 0 else ""

    def _edits_in(self, piece: Piece, found: Found, name: Name) -> list[Edit]:
        small = {number: spans for number, spans in found.items() if number >= 0}
        if not small:
            return []
        part = self.text[piece.start : piece.end]
        if piece.literals is None:
            made = text_edits(part, small[0], name)
        else:
            made = edits(part, small, name, literals(piece.value))
        self._place(piece, made)
        return made

    def _edits_of_numbers(self, piece: Piece, numbers: list[Bare], name: Name) -> list[Edit]:
        from gitsession.redaction.scalars import quoted

        found = [Edit(row[0], row[1], row[3], name(row[2], row[3]), -1) for row in numbers]
        made = quoted(found, [row[:2] for row in numbers])
        self._place(piece, made)
        return made

    def _as_scalars(self, piece: Piece, made: list[Edit]) -> list[Edit]:
        """Put quotes around what replaces a bare value, if the text is JSON after all."""
        from gitsession.redaction.scalars import in_text, quoted

        text = self.data[piece.start : piece.end]
        places = ((piece.start + start, piece.start + end) for start, end in in_text(text))
        return quoted(made, places)

    def _place(self, piece: Piece, made: list[Edit]) -> None:
        """Convert positions in the piece to positions in the record."""
        for edit in made:
            start, end = piece.start + edit.start, piece.start + edit.end
            if self.outline is not None:
                start, end = self.outline.source(start), self.outline.source(end)
            edit.start, edit.end = start, end

    def plain_spans(self) -> list[Span]:
        """The findings in a text that is not a record."""
        giant = self._in_giants(self.found[0])
        return self.found[0].get(0, []) + [(one.start, one.end, one.rule) for one in giant]

    def _in_giants(self, found: Found) -> list[Window]:
        numbers = sorted((number for number in found if number < 0), reverse=True)
        if not numbers:
            return []
        from gitsession.redaction.windows import places_of

        return places_of(self.data, ((self.windows[-1 - one], found[one]) for one in numbers))

    def _edits_of_giants(self, found: Found, name: Name) -> Iterator[Edit]:
        for place in self._in_giants(found):
            value = place.text(self.data)
            yield Edit(place.start, place.end, place.rule, name(value, place.rule), place.number)
