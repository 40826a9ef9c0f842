"""Bare values of JSON (numbers, words), and the quotes that a placeholder in their place needs, so
that a record that parsed still does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.jsonwalk import Edit

# A string (even unterminated), a run that may be a bare value, a line end, any other character.
# Control characters count as blanks: stored records contain one where something was taken out.
_TOKEN = re.compile(
    rb'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+\\?+(?:"|\Z)|[0-9A-Za-z_.+-]++|\n|[^\x00-\x20]'
)
_BARE = re.compile(rb"-?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null|NaN|-?Infinity")
_ALONE = re.compile(rb"[\x00-\x20\xef\xbb\xbf]*+[0-9A-Za-z_.+-]++[\x00-\x20]*+")
_BEGINS = re.compile(rb"[\x00-\x20\xef\xbb\xbf]*+[{\[]")
_NEWLINE = ord("\n")


def scalars(data: bytes, by_line: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the spans of bare values in one JSON text, even a torn one; the whole text may be one
    value. With `by_line`, each line may be one too."""
    before, is_first = 0, True
    waiting: tuple[int, int] | None = None
    is_inner = is_alone = False
    for match in _TOKEN.finditer(data):
        start, end = match.span()
        sign = data[start]
        if sign == _NEWLINE:
            if by_line and waiting and is_alone:
                yield waiting
                waiting = None
            is_first = is_first or by_line
            continue
        if waiting and is_inner and sign in b",]}":
            yield waiting
        waiting = None
        if _BARE.fullmatch(data, start, end):
            waiting, is_inner, is_alone = (start, end), before in b"[,:", is_first
        before, is_first = sign, False
    if waiting and is_alone:
        yield waiting


def in_text(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield bare values in text that was not parsed: JSON that is nested too deep, or a single
    value. There are none in prose."""
    is_document = _BEGINS.match(text) and text.rstrip()[-1:] in (b"}", b"]")
    if is_document or _ALONE.fullmatch(text):
        yield from scalars(text)


def holding(text: bytes, values: Sequence[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Yield bare values of a document that contain one of `values`, not within a longer number."""
    pattern = re.compile(rb"(?<![0-9])(?:%s)(?![0-9])" % b"|".join(map(re.escape, values)))
    for start, end in scalars(text):
        match = pattern.search(text, start, end)
        if match:
            yield start, end, match[0]


def quoted(made: list[Edit], where: Iterable[tuple[int, int]]) -> list[Edit]:
    """Return the same edits, in order; those inside a bare value become one that replaces all of
    it, in quotes."""
    bare = iter(where)
    start, end = next(bare, (0, 0))
    kept: list[Edit] = []
    for edit in made:
        while end and end <= edit.start:
            start, end = next(bare, (0, 0))
        if not end or edit.start < start or edit.end > end:
            kept.append(edit)
        elif not kept or kept[-1].end != end:
            edit.start, edit.end, edit.new = start, end, b'"%s"' % edit.new
            kept.append(edit)
    return kept


def masked(
    data: bytes, pattern: re.Pattern[bytes], name: Callable[[re.Match[bytes]], bytes]
) -> bytes:
    """Replace each match of `pattern` in `data` (JSON, by lines or as a whole) by its name."""
    parts: list[bytes] = []
    done = 0
    bare: Iterator[tuple[int, int]] | None = None
    low = high = 0
    for match in pattern.finditer(data):
        start, end = match.span()
        if start < done:
            continue  # in a bare value that is already masked
        bare = bare or scalars(data, by_line=True)
        while high <= start:
            low, high = next(bare, (len(data), len(data) + 1))
        new = name(match)
        if low <= start and end <= high:
            start, end, new = low, high, b'"%s"' % new
        parts += (data[done:start], new)
        done = end
    parts.append(data[done:])
    return b"".join(parts)
