"""Words cut by a line end, as terminals do: the joined lines, mapped back to the source.

What a diff, a quote or a numbered listing puts before each line is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitsession.redaction.compiled import RULES
from gitsession.redaction.patterns import Lazy, Span
from gitsession.redaction.shapes import digits, is_random, lowers, uppers
from gitsession.redaction.spans import generality
from gitsession.redaction.words import is_wordy

_LONGEST = 1200
_LONGEST_TOKEN = 300
_MOST_LINES = 5
_MARK = rb"(?:[ \t]{0,10}\d{1,6}(?:\xe2\x86\x92|\t)|[+>|-](?![+>|-]))"
_HEAD = Lazy(rb"(" + _MARK + rb"?)[ \t]{0,60}")
_TAIL_END = rb"(?=\\{0,16}[ ]{0,32}(?:\r?\n|\Z|(?<![=:(,|&])[\x22\x27`]))"
# A continuation is the only word of its line and does not look like the start of something else.
_TAIL = rb"[ \t]{0,60}(?P<word>[^\s\x22\x27`<>{}\[\]\\]{4,1000})" + _TAIL_END
_BARE = Lazy(rb"(?:[ \t\r]*\n)?[ \t\r]*[^\s\x22\x27]{4,}[ \t\r]*(?:[\x22\x27\n]|\Z)")
_PLAIN_TAIL = Lazy(rb"(?P<blank>[ \t]{0,60}\r?\n)?" + _TAIL)  # quoted YAML doubles a line end
_MARKED_TAIL = Lazy(_MARK + _TAIL)
_WORD = Lazy(rb"[A-Z]?[a-z]{1,15}[.:,;]?|[a-z]+(?:[-_./][a-z]+){1,4}|[A-Z]{1,12}|\d{1,6}")
_ASSIGNS = Lazy(rb"([A-Za-z_][A-Za-z0-9_.]{2,60})=(?P<empty>[=\s;&]|\Z)?")
_NESTED_END = Lazy(rb"\\{0,16}[ ]{1,32}\Z")
_HEX = Lazy(rb"[0-9a-f]{6,}")
_DIGIT_INSIDE = Lazy(rb"[A-Za-z]\d+[A-Za-z]")
_CUT_NAME = Lazy(rb"[A-Za-z0-9_./?&:@-]{0,80}[=:/]")
_ANCHORS = tuple(
    anchor for _, anchors, _, before, back, *_ in RULES if not before and not back
    for anchor in anchors if len(anchor) >= 4
)  # fmt: skip

_TOKEN_STARTS = _ANCHORS + tuple(
    anchor for _, anchors, *_ in RULES for anchor in anchors
    if len(anchor) == 3 and anchor[-1:] in b"-_."
)  # fmt: skip


def starts_anew(word: bytes) -> bool:
    """Whether a word begins a token of its own rather than continuing one."""
    return word[:32].lower().startswith(_ANCHORS)


def ends_in_token(text: bytes) -> bool:
    """Whether the last word begins like a vendor's token, even after `NAME=`."""
    at = max(text.rfind(mark) for mark in (b" ", b"\n", b"=", b":", b'"', b"'"))
    return text[at + 1 : at + 33].lower().startswith(_TOKEN_STARTS)


class Joined:
    """`text` is the end of a line plus the words below that may continue it; `first` is how much of
    it is on the first line, `last` where the rest ends in the source."""

    __slots__ = ("_pieces", "assigns", "far", "first", "last", "text")

    def __init__(self, source: bytes, pieces: list[tuple[int, int]], far: bool) -> None:
        """`far` says that an empty line is in between."""
        self.far = far
        self._pieces = pieces
        self.text = b"".join(source[start:end] for start, end in pieces)
        self.first = pieces[0][1] - pieces[0][0]
        self.last = pieces[-1][1]
        self.assigns = assigns(self.text[self.first :])

    @property
    def line_end(self) -> int:
        return self._pieces[0][1]

    def source(self, start: int, end: int) -> tuple[int, int]:
        return self._place(start), self._place(end - 1) + 1

    def _place(self, offset: int) -> int:
        for start, end in self._pieces:
            if offset < end - start:
                return start + offset
            offset -= end - start
        return self.last


def cut_lines(text: bytes, places: Iterable[int]) -> Iterator[Joined]:
    """Yield the lines that contain one of the sorted `places` and that a bare word may continue."""
    line_end = -1
    for place in places:
        if place <= line_end:
            continue
        line_end = text.find(b"\n", place, place + _LONGEST)
        if line_end < 0:
            line_end = place + _LONGEST
        else:
            joined = join(text, place, line_end)
            if joined:
                yield joined


def join(text: bytes, place: int, line_end: int) -> Joined | None:
    """The line around `place` ending at `line_end`, joined with its continuation; None if none."""
    if not _BARE.match(text, line_end + 1):  # most lines have more than one word
        return None
    end = _content_end(text, place, line_end)
    if end < place:
        return None
    floor = max(0, end - _LONGEST)
    start = text.rfind(b"\n", floor, place) + 1
    head = _HEAD.match(text, start, end) if start or not floor else None
    tail = _MARKED_TAIL if head and head[1] else _PLAIN_TAIL
    pieces = [(head.end() if head else floor, end)]
    far = False
    first = text[max(pieces[0][0], end - _LONGEST_TOKEN) : end]
    for _ in range(_MOST_LINES - 1):
        word = tail.match(text, line_end + 1)
        if not word or not _may_continue(word["word"], len(pieces), first):
            break
        far = far or (tail is _PLAIN_TAIL and word["blank"] is not None)
        pieces.append(word.span("word"))
        line_end = text.find(b"\n", word.end(), word.end() + 8)
        if line_end < 0:
            break
    return Joined(text, pieces, far) if len(pieces) > 1 else None


def _content_end(text: bytes, place: int, line_end: int) -> int:
    """Where the last word of the line ends; -1 if it is closed. Nested JSON leaves `\\` and one
    blank before the line end."""
    end = line_end
    if text[end - 1] == 13:
        end -= 1
    nested = _NESTED_END.search(text, max(place, end - 48), end)
    if nested:
        end = nested.start()
    return -1 if end <= 0 or text[end - 1] in b" \t\n\"'`,;" else end


def _may_continue(word: bytes, count: int, before: bytes) -> bool:
    if _WORD.fullmatch(word) and (len(word) < 12 or is_wordy(word)) and not ends_in_token(before):
        return False
    if word[:2] == b"--":
        return False
    return not starts_anew(word) and (count == 1 or not assigns(word))


def assigns(word: bytes) -> bool:
    """Whether it is `NAME=value`, rather than more of a token that contains a `=`."""
    match = _ASSIGNS.match(word)
    if match is None:
        return False
    name = match[1]
    if match["empty"] is not None:
        return is_wordy(name) and len(word) == match.end()
    plain = name.replace(b"_", b"").isalpha()
    return name.isupper() or (plain and name.islower()) or is_wordy(name)


def continuation(text: bytes, end: int) -> int:
    """For a token that ends its line at `end`: where the bare word below ends, if it looks like
    more of the token; otherwise `end`."""
    line_end = text.find(b"\n", end, end + 8)
    if line_end < 0 or text[end:line_end].strip(b" \\\r"):
        return end
    joined = join(text, end, line_end)
    if joined is None or joined.assigns or not is_more(joined.text[joined.first :]):
        return end
    return joined.last


def is_more(part: bytes, before: bytes = b"") -> bool:
    """Whether a word looks like more of a token that might already be complete."""
    if is_random(part, 8) and not is_wordy(part):
        return True
    if _HEX.fullmatch(part) and _HEX.fullmatch(before[-12:]):
        return digits(part) >= 2
    mixed = uppers(part) >= 2 and lowers(part) >= 2
    return len(part) >= 10 and mixed and _DIGIT_INSIDE.search(part) is not None


def crosses(joined: Joined, start: int, end: int, rule: str, found: Sequence[Span]) -> bool:
    """Whether only the join reveals this finding in the joined text."""
    first = joined.first
    if end <= first:
        return rule == "url-password"
    if start >= first:
        return is_cut_name(joined.text, first, start)
    if joined.assigns:
        return False
    complete = joined.text[first - 1] not in b"-_+/." and any(
        stop == joined.line_end and generality(other) <= generality(rule)
        for _, stop, other in found
    )
    if complete and joined.far:
        return False
    return not (complete or joined.far) or is_more(joined.text[first:end], joined.text[:first])


def is_cut_name(text: bytes, first: int, start: int) -> bool:
    """Whether the text between a cut and the value is the rest of the name that announces it:
    `pass` and `word=…`."""
    return start == first or _CUT_NAME.fullmatch(text, first, start) is not None
