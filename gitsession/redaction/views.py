"""Views: a text without its disguise (colours, zero-width marks, escapes), mapped to the source.

Every view maps a span of the scanned text to the span of the source that it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitsession.redaction.patterns import Lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.patterns import Match

# C0 without tab, line feed and carriage return.
_CONTROL = bytes(code for code in (*range(32), 127) if code not in (9, 10, 13))
# Everything that concerns no view.
_PLAIN = bytes(code for code in (9, 10, 13, *range(32, 127)) if code not in b"&+\\")
_NO_WIDTH = (b"\xef\xbb\xbf", b"\xc2\xad", b"\xc2\x9b", b"\xcd\x8f", b"\xe1\xa0\x8e")
"""Marks of no width, whatever follows; the first bytes of the others also begin many characters."""
_JOINERS = rb"\xef\xb8[\x80-\x8f](?<=[A-Za-z0-9_-]...)(?=[A-Za-z0-9_-])"  # else part of an emoji
_MARKS = (
    rb"\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xc2\xad"  # zero width, bidi
    rb"|\xc2\x9b[0-9;?]*[ -/]*[@-~]|\xcd\x8f|\xe1\xa0\x8e|\xf3\xa0[\x80\x81][\x80-\xbf]"
)
# Each is searched for by its first bytes alone, which is fast; a single expression for all is not.
_BEGUN = (
    (b"\xe2\x80", Lazy(rb"\xe2\x80[\x8b-\x8f\xaa-\xae]")),
    (b"\xe2\x81", Lazy(rb"\xe2\x81[\xa0-\xaf]")),
    (b"\xef\xb8", Lazy(_JOINERS)),
    (b"\xf3\xa0", Lazy(rb"\xf3\xa0[\x80\x81]")),
)
_INVISIBLE = Lazy(
    rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b[@-_]|[ -~]\x08|"
    + _MARKS
    + rb"|"
    + _JOINERS
    + rb"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_TITLE = Lazy(rb"\x1b\]([^\x07\x1b]{0,200})(?:\x07|\x1b\\)")
_ENTITY = Lazy(
    rb"&(?:#0{0,5}(\d{2,3})|#[xX]0{0,5}([0-9a-fA-F]{2})"
    rb"|(quot|amp|lt|gt|apos|lowbar|colon|sol|equals|period|plus|commat|excl|num|dollar));"
)
_ENTITIES = {
    b"quot": b'"', b"amp": b"&", b"lt": b"<", b"gt": b">", b"apos": b"'", b"lowbar": b"_",
    b"colon": b":", b"sol": b"/", b"equals": b"=", b"period": b".", b"plus": b"+",
    b"commat": b"@", b"excl": b"!", b"num": b"#", b"dollar": b"$",
}  # fmt: skip
_QUOTED_PLUS = (b'"+', b'" +', b"'+", b"' +")
_JOINED_LITERALS = Lazy(rb"[\x22\x27](?<=[A-Za-z0-9_=-].)[ ]?\+\s*[\x22\x27](?=[A-Za-z0-9_-])")
_FOLD = Lazy(rb"\\\r?\n[ \t]*(?:\\(?=[ \t]))?")  # in quoted YAML, at a line end in a shell
_ESCAPE = Lazy(
    rb"\\+(?:u([0-9a-fA-F]{4})|u\{0{0,4}([0-9a-fA-F]{2})\}"
    rb"|(?:x([0-9a-fA-F]{2})|([01][0-7]{2}))(?:(?=[A-Za-z0-9_\\[-])|(?<=[A-Za-z0-9_-]\\...))"
    rb"|(/)|(?<=[A-Za-z0-9]\\)([_-])(?=[A-Za-z0-9]))"
)
"""A character code on its own, as in a table, is left alone; so is the dash of a pattern."""
_ESCAPED = Lazy(
    rb"\\(?:[u/]|(?:x[0-9a-fA-F]{2}|[01][0-7]{2})[A-Za-z0-9_\\[-]|(?<=[A-Za-z0-9]\\)[_-][A-Za-z0-9])"
)
_JSON_ESCAPE = Lazy(rb"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|(.))")
_ESC = 27
_JSON_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}
_SHORT_ESCAPES = (
    (b"\\n", b" \n"), (b'\\"', b' "'), (b"\\t", b" \t"), (b"\\r", b" \r"), (b"\\'", b" '"),
    (b"\\\\", b"  "),
)  # fmt: skip


class View:
    """`text` is the source with some pieces replaced.

    Segments are kept in order: `_starts[i]` is where one begins in `text`, `_origins[i]` where in
    the source; `_ends[i]` is the source end of a replaced piece, -1 for a piece that was copied.
    """

    __slots__ = ("_ends", "_origins", "_starts", "text")

    def __init__(self, text: bytes, starts: list[int], origins: list[int], ends: list[int]) -> None:
        self.text = text
        self._starts = starts
        self._origins = origins
        self._ends = ends

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The source span of a span of `text`; a replaced piece is included as a whole."""
        from bisect import bisect_right

        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        begin = self._origins[first]
        if self._ends[first] < 0:
            begin += start - self._starts[first]
        stop = self._ends[last]
        if stop < 0:
            stop = self._origins[last] + end - self._starts[last]
        return begin, max(begin, stop)


def build(
    source: bytes, pattern: Lazy, replacement: Callable[[Match], bytes | None]
) -> View | None:
    """Build a view with every match replaced (None keeps it); None if nothing changed."""
    pieces: list[bytes] = []
    starts: list[int] = []
    origins: list[int] = []
    ends: list[int] = []
    taken = size = 0
    for match in pattern.finditer(source):
        new = replacement(match)
        if new is None:
            continue
        begin, end = match.span()
        if begin > taken:
            starts.append(size)
            origins.append(taken)
            ends.append(-1)
            pieces.append(source[taken:begin])
            size += begin - taken
        if new:
            starts.append(size)
            origins.append(begin)
            ends.append(end)
            pieces.append(new)
            size += len(new)
        taken = end
    if not taken:
        return None
    starts.append(size)
    origins.append(taken)
    ends.append(-1)
    pieces.append(source[taken:])
    return View(b"".join(pieces), starts, origins, ends)


def is_plain(source: bytes) -> bool:
    """Whether nothing in a text may stand for something else."""
    return not source.translate(None, _PLAIN)


def layers(source: bytes) -> tuple[bytes, list[View]]:
    """Return the text to scan, and the views that led to it, outermost first."""
    odd = source.translate(None, _PLAIN)
    if not odd:
        return source, []
    views: list[View] = []
    text = source
    for needed, step in _STEPS:
        if needed(text, odd):
            view = step(text)
            if view is not None:
                views.append(view)
                text = view.text
                odd = text.translate(None, _PLAIN)
    if b"\\" in odd:
        # Of the same length, so that no mapping is needed: nested JSON mostly consists of this.
        for escape, plain in _SHORT_ESCAPES:
            text = text.replace(escape, plain)
    return text, views


def titles(source: bytes) -> Iterator[tuple[int, int]]:
    """Yield spans of the texts in terminal titles and links, which the colourless view lacks."""
    if b"\x1b]" in source:
        for match in _TITLE.finditer(source):
            yield match.span(1)


def json_literal(source: bytes) -> View:
    """Decode the inside of a JSON string literal to UTF-8, as a view."""
    view = build(source, _JSON_ESCAPE, _unescape_json)
    return view or View(source, [0], [0], [-1])


# Whether a step has anything to do; `odd` holds the non-plain bytes of the text, usually few.


def _has_controls(_: bytes, odd: bytes) -> bool:
    return len(odd.translate(None, _CONTROL)) != len(odd)


def _has_invisible(text: bytes, odd: bytes) -> bool:
    if _has_controls(text, odd):
        return True
    if odd.isascii():
        return False
    return any(mark in odd for mark in _NO_WIDTH) or any(
        first in odd and marks.search(text) is not None for first, marks in _BEGUN
    )


def _strip_invisible(text: bytes) -> View | None:
    # A few NULs are separators (as in /proc/…/environ); NULs in every second byte are UTF-16.
    separates = text.count(b"\x00") * 3 < len(text)

    def replacement(match: Match) -> bytes:
        return b"\n" if separates and match[0] == b"\x00" else b""

    return build(text, _INVISIBLE, replacement)


def _has_entities(text: bytes, odd: bytes) -> bool:
    return b"&" in odd and any(mark in text for mark in (b"&#", b"&quot;", b"&lowbar;"))


def _entity(match: Match) -> bytes | None:
    if match[3]:
        return _ENTITIES[match[3]]
    code = int(match[1]) if match[1] else int(match[2], 16)
    return bytes([code]) if 32 <= code < 127 else None


def _has_concatenation(text: bytes, odd: bytes) -> bool:
    return b"+" in odd and any(mark in text for mark in _QUOTED_PLUS)


def _has_escapes(text: bytes, odd: bytes) -> bool:
    return b"\\" in odd and _ESCAPED.search(text) is not None


def _has_folds(text: bytes, odd: bytes) -> bool:
    return b"\\" in odd and (b"\\\n" in text or b"\\\r\n" in text)


def _escape(match: Match) -> bytes | None:
    if match[5] or match[6]:
        return match[5] or match[6]
    if match[1]:
        code = int(match[1], 16)
        return None if 0xD800 <= code < 0xE000 else chr(code).encode()
    code = int(match[4], 8) if match[4] else int(match[2] or match[3], 16)
    return bytes((code,)) if 32 <= code < 127 or code == _ESC else None


def _unescape_json(match: Match) -> bytes:
    if match[1]:
        code = int(match[1], 16)
        if match[2]:
            low = int(match[2], 16)
            if 0xD800 <= code < 0xDC00:
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            else:
                return (chr(code) + chr(low)).encode("utf-8", "surrogatepass")
        return chr(code).encode("utf-8", "surrogatepass")
    return _JSON_ESCAPES.get(match[3], match[3])


_STEPS: tuple[tuple[Callable[[bytes, bytes], bool], Callable[[bytes], View | None]], ...] = (
    (_has_invisible, _strip_invisible),
    (_has_entities, lambda text: build(text, _ENTITY, _entity)),
    (_has_concatenation, lambda text: build(text, _JOINED_LITERALS, lambda _: b"")),
    (_has_folds, lambda text: build(text, _FOLD, lambda _: b"")),
    (_has_escapes, lambda text: build(text, _ESCAPE, _escape)),
    (_has_controls, _strip_invisible),  # those that had been escaped
)
