"""Tokens that a terminal cut at the line end: the lines joined, with the way back."""

from __future__ import annotations

from gitsession.redaction.compiled import RULES
from gitsession.redaction.patterns import Lazy
from gitsession.redaction.shapes import is_identifier, is_random, is_wordy

_HEAD = Lazy(rb"[^\s\x22\x27`]{2,400}(?=\r?\n)")
_NEXT = Lazy(rb"\r?\n[ \t]{0,4}([A-Za-z0-9+/=_.~%-]{4,400})(?=\r?\n|$|[\x22\x27`,])")
_TAIL = Lazy(rb"[A-Za-z0-9+/=_.-]{8,400}")
_MOST_LINES = 4
_ANCHORS = tuple(
    anchor for _, anchors, _, before, back, *_ in RULES if not before and not back
    for anchor in anchors if len(anchor) >= 4
)  # fmt: skip


def starts_anew(line: bytes) -> bool:
    """Whether the line begins a token of its own instead of continuing one."""
    return line[:32].lower().startswith(_ANCHORS)


class Joined:
    """`text` is a token over two to five lines; `end` where it ends in the source."""

    __slots__ = ("_pieces", "end", "text")

    def __init__(self, source: bytes, pieces: list[tuple[int, int]]) -> None:
        self._pieces = pieces
        self.text = b"".join(source[start:end] for start, end in pieces)
        self.end = pieces[-1][1]

    def source(self, offset: int) -> int:
        """Where the byte at `offset` of the joined text stands in the source."""
        for start, end in self._pieces:
            if offset < end - start:
                return start + offset
            offset -= end - start
        return self.end


def join(text: bytes, start: int) -> Joined | None:
    """The token at `start` with the bare lines that continue it; None if none does."""
    head = _HEAD.match(text, start)
    if not head:
        return None
    pieces = [head.span()]
    for _ in range(_MOST_LINES):
        line = _NEXT.match(text, pieces[-1][1])
        if not line or b"=" in line[1].rstrip(b"="):
            break
        if starts_anew(line[1]) or (is_identifier(line[1]) and is_wordy(line[1])):
            break
        pieces.append(line.span(1))
    return Joined(text, pieces) if len(pieces) > 1 else None


def at_line_end(text: bytes, end: int) -> bool:
    return end < len(text) and text[end] in b"\r\n"


def continuation(text: bytes, end: int) -> int:
    """Where the bare token on the line after `end` ends, if it looks like the rest of a secret;
    else `end`."""
    if not at_line_end(text, end):
        return end
    start = end + (2 if text[end : end + 2] == b"\r\n" else 1)
    match = _TAIL.match(text, start)
    if not match:
        return end
    stop = match.end()
    if stop < len(text) and text[stop] not in b"\r\n \t\"'":
        return end
    rest = match[0]
    if starts_anew(rest):
        return end
    return stop if is_random(rest, 8) and not is_wordy(rest) else end
