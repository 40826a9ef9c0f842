"""Reads native JSON that may be damaged: glued, torn, NUL-filled, badly encoded."""

from __future__ import annotations

import json
import re
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

_BOM = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder()
# Kept as strings, compiled (and cached by `re`) on first use: most records need none of them.
_SPACE = r"[ \t\r\n\0\ufeff]*"
_LONE = "[\ud800-\udfff]"
_ESCAPE = rb"(?s)\\(?:u([0-9a-fA-F]{4})|.)"


if TYPE_CHECKING:

    class Parsed(NamedTuple):
        objects: tuple[dict[str, Any], ...]
        damaged: bool
else:
    Parsed = namedtuple("Parsed", "objects damaged")
    Parsed.__doc__ = """The JSON objects of one record: usually one, several for glued lines, maybe
    none for a damaged record.

    `damaged` is true if some bytes could not be parsed; a blank line is not damage."""


def parse_line(data: bytes) -> Parsed:
    """Parse a line of a JSONL file; never raises. Lone surrogates come out as U+FFFD."""
    try:
        value = json.loads(mend_surrogates(data)[0].decode("utf-8"))
    except (ValueError, RecursionError):
        texts, damaged = split_objects(data)
        try:
            return Parsed(tuple(map(json.loads, texts)), damaged)
        except RecursionError:  # nested to the recursion limit, and here we are one call deeper
            return Parsed((), True)
    return Parsed((value,), False) if isinstance(value, dict) else Parsed((), True)


def split_objects(data: bytes) -> tuple[list[str], bool]:
    """Return the texts of the JSON objects in a line, and whether it also contains anything else.

    A line of spaces contains nothing and is not damage; neither is a byte order mark.
    """
    data = mend_surrogates(data.removeprefix(_BOM))[0]
    damaged = b"\0" in data
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text, damaged = data.decode("utf-8", "replace"), True
    found: list[str] = []
    at = _skip(text, 0)
    while at < len(text):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, True
        if isinstance(value, dict):
            found.append(text[at:end])
        else:
            damaged = True
        at = _skip(text, end)
    return found, damaged


def _skip(text: str, at: int) -> int:
    match = re.compile(_SPACE).match(text, at)
    return match.end() if match else at


def whole_text(text: str) -> str:
    """Return the text with every lone surrogate replaced by U+FFFD, so that it can be encoded."""
    return re.sub(_LONE, "\ufffd", text) if not text.isascii() else text


def mend_surrogates(data: bytes) -> tuple[bytes, int]:
    r"""Replace escaped lone surrogates (`\ud83d`) in JSON text by `\ufffd`; also return how many.

    The length and everything else stay the same; pairs and escaped backslashes are left alone.
    """
    # `rfind` searches from the end by the backslash, which is rarer than the letter.
    if data.rfind(b"\\u") < 0 or (b"\\ud" not in data and b"\\uD" not in data):
        return data, 0
    pieces: list[bytes] = []
    done = mended = 0
    high = -1  # start of a high surrogate that has no partner yet
    for match in re.finditer(_ESCAPE, data):
        code = int(match[1], 16) if match[1] else 0
        if high >= 0 and not (0xDC00 <= code < 0xE000 and match.start() == high + 6):
            pieces += (data[done:high], b"\\ufffd")
            done, mended = high + 6, mended + 1
        elif high >= 0:
            high = -1
            continue
        high = match.start() if 0xD800 <= code < 0xDC00 else -1
        if 0xDC00 <= code < 0xE000:
            pieces += (data[done : match.start()], b"\\ufffd")
            done, mended = match.end(), mended + 1
    if high >= 0:
        pieces += (data[done:high], b"\\ufffd")
        done, mended = high + 6, mended + 1
    return b"".join((*pieces, data[done:])), mended


def compact(value: object) -> str:
    """Return JSON as the agents write it: no spaces, characters unescaped, no lone surrogates."""
    return whole_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def text_of(value: object) -> str:
    """Return the value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def mapping_of(value: object) -> dict[str, Any]:
    """Return the value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return the value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def number_of(value: object) -> int:
    """Return the value if it is a whole number (not a bool), else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
