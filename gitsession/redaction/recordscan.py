"""What stands in one record: its pieces, what was found in each, and what is to be replaced."""

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
    from gitsession.redaction.windows import Window

Name = Callable[[bytes, str], str]
"""The placeholder of a value that a rule found."""
Found = dict[int, list[Span]]
"""Spans of the decoded text, by number of the literal in its document (0 in a text piece); those
of the window `n` of a giant string by -1 - n."""


class RecordScan:
    """What stands in one record: its pieces, and what was found in each.

    `text` is what the pieces are of: the record, or its outline where it has giant strings; those
    are scanned in `windows`."""

    __slots__ = ("data", "found", "outline", "pieces", "text", "windows")

    def __init__(self, data: bytes, parts: list[Piece]) -> None:
        self.data = self.text = data
        self.outline: giants.Outline | None = None
        self.windows: list[Window] = []
        self.pieces = parts
        self.found: list[Found] = [{} for _ in parts]

    def __bool__(self) -> bool:
        return any(self.found)

    def add(self, piece: int, number: int, span: Span) -> None:
        self.found[piece][number] = merge([*self.found[piece].get(number, ()), span])

    def read(self, known: AbstractSet[str], shortest: int) -> None:
        """Finds the pieces."""
        short = giants.outline(self.data)
        parts = pieces(short.data if short else self.data, known, shortest)
        self.outline, self.text, self.windows = None, self.data, []
        if short is not None:
            if all(piece.literals is not None for piece in parts):
                self.outline, self.text = short, short.data
            else:  # an outline of what is no JSON says nothing
                parts = [Piece(0, len(self.data), None, None)]
        self.pieces = parts
        self.found = [{} for _ in parts]

    def giants(self, piece: Piece) -> dict[int, tuple[int, int]]:
        """Where in the record the giant strings of a piece stand, by their numbers in it."""
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
        """What to replace in the record, in order, each with the path of its string."""
        for piece, found in zip(self.pieces, self.found, strict=True):
            if not found:
                continue
            made = [*self._edits_in(piece, found, name), *self._edits_of_giants(found, name)]
            made.sort(key=lambda edit: edit.start)
            paths = [] if piece.literals is None else places(piece.value)
            for edit in made:
                yield edit, paths[edit.number] if paths else ""

    def _edits_in(self, piece: Piece, found: Found, name: Name) -> list[Edit]:
        small = {number: spans for number, spans in found.items() if number >= 0}
        if not small:
            return []
        part = self.text[piece.start : piece.end]
        if piece.literals is None:
            made = text_edits(part, small[0], name)
        else:
            made = edits(part, small, name, literals(piece.value))
        for edit in made:
            start, end = piece.start + edit.start, piece.start + edit.end
            if self.outline is not None:
                start, end = self.outline.source(start), self.outline.source(end)
            edit.start, edit.end = start, end
        return made

    def plain_spans(self) -> list[Span]:
        """What was found in a text that is no record."""
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
