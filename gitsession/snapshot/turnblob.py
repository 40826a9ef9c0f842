"""Convert the records of one turn to blobs and back, byte for byte.

A blob is a sequence of entries, one per record. A plain entry is the record's line itself, in which
NUL replaces a string that was cut out and \\x01 a constant that was lifted. A record that cannot be
a plain line is preceded by a header line: `\\x02cut N` (N bytes, treated like a line) or `\\x02raw
N` (N bytes, untouched). Nothing here knows about files, trees or git.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from gitsession import giants
from gitsession.snapshot.limits import CUT_STRING, CUT_TURN, RECORD_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.encoded import Data


STRING, CONSTANT, FRAME = b"\x00", b"\x01", b"\x02"
_BACKSLASH = ord("\\")

# Kept as text and compiled (and cached by `re`) on first use: a save reads no blobs and cuts only
# long strings.
_JSON_START = rb'[\s,]*[{\["]'
_HEADER = rb"\x02(cut|raw) (0|[1-9][0-9]{0,11})\n"


class Blob:
    """`data` is a blob of records; `strings` are the strings cut out of it, in order."""

    __slots__ = ("data", "strings")

    def __init__(self, data: bytes, strings: list[Data]) -> None:
        self.data = data
        self.strings = strings


class Entry:
    """One record as stored in a blob: `marks` counts its cut strings; a `raw` entry has none."""

    __slots__ = ("data", "marks", "raw")

    def __init__(self, data: bytes, marks: int, raw: bool) -> None:
        self.data = data
        self.marks = marks
        self.raw = raw


class Damaged(ValueError):
    """A blob that no writer of this format produces; the text says what is wrong."""


class Cut:
    """A record without its long strings: `data` and `strings`. `framed` is the word for the header
    it needs, "" for none; `lifts` says whether constants are lifted out of it."""

    __slots__ = ("data", "framed", "lifts", "strings")

    def __init__(self, data: bytes, framed: str, lifts: bool, strings: list[Data]) -> None:
        self.data = data
        self.framed = framed
        self.lifts = lifts
        self.strings = strings


def cut(records: Sequence[bytes]) -> list[Cut]:
    """Cut the records of one turn of one stream; the last record may lack a line end."""
    last = len(records) - 1
    return [_cut_record(record, index == last) for index, record in enumerate(records)]


def _cut_record(record: bytes, last: bool) -> Cut:
    if not record or STRING in record or CONSTANT in record or FRAME in record:
        return Cut(record, "raw", False, [])
    newline = record.find(b"\n")
    plain = newline == len(record) - 1 or (newline < 0 and last)
    strings: list[Data] = []
    lifts = record.startswith(b"{") or re.match(_JSON_START, record) is not None
    if lifts and len(record) > CUT_STRING:
        record = _cut(record, strings)
    return Cut(record, "" if plain else "cut", lifts, strings)


def members(records: Sequence[bytes], turn: Sequence[Cut]) -> list[bytes]:
    """Return, for each record, bytes that contain `"name":` wherever the record does. Inside a long
    string every quote is escaped, so a match can involve such a string only if the string is a key
    or begins with a colon; then the record itself is returned."""
    return [
        record if piece.strings and _is_odd(piece) else piece.data
        for record, piece in zip(records, turn, strict=True)
    ]


def _is_odd(piece: Cut) -> bool:
    return STRING + b'":' in piece.data or any(string[:1] == b":" for string in piece.strings)


def pack(records: Sequence[bytes], values: Mapping[str, bytes]) -> list[Blob]:
    """`packed` for records that have not been cut yet."""
    return packed(cut(records), values)


def packed(turn: Sequence[Cut], values: Mapping[str, bytes]) -> list[Blob]:
    """Return the blobs of one turn of one stream: at least one, unless there are no records.

    `values` are the constants in force: name → raw bytes between the quotes. Cut points follow from
    the records and these constants: a blob is full when the next entry would make it larger than 64
    KiB.
    """
    blobs: list[Blob] = []
    pieces: list[bytes] = []
    strings: list[Data] = []
    size = 0
    steps = replacements(values)
    for record in turn:
        data = _lift(record.data, steps) if record.lifts else record.data
        if record.framed:
            data = b"\x02%s %d\n%s" % (record.framed.encode(), len(data), data)
        if pieces and size + len(data) > CUT_TURN:
            blobs.append(Blob(b"".join(pieces), strings))
            pieces, strings, size = [], [], 0
        pieces.append(data)
        strings.extend(record.strings)
        size += len(data)
    if pieces:
        blobs.append(Blob(b"".join(pieces), strings))
    return blobs


def _cut(record: bytes, cut: list[Data]) -> bytes:
    """Return the record without its long strings, which are appended to `cut`. Searches for quotes:
    a pattern that reads every character takes three times as long."""
    pieces: list[bytes] = []
    done = at = 0
    view = memoryview(record)
    find = record.find
    while at := find(b'"', at) + 1:
        end = find(b'"', at)
        while end > 0 and record[end - 1] == _BACKSLASH and _is_escaped(record, at, end):
            end = find(b'"', end + 1)
        if end < 0:
            break  # not closed
        if end - at >= CUT_STRING:
            pieces.append(record[done:at])
            # A giant string is not copied: the record stays in memory until it is stored anyway.
            cut.append(record[at:end] if end - at < giants.STRING else view[at:end])
            done = end
        at = end + 1
    pieces.append(record[done:])
    return STRING.join(pieces)


def _is_escaped(record: bytes, start: int, quote: int) -> bool:
    """Whether an odd number of backslashes precedes the quote within the string."""
    first = quote
    while first > start and record[first - 1] == _BACKSLASH:
        first -= 1
    return (quote - first) % 2 == 1


def _lift(record: bytes, steps: Sequence[tuple[bytes, bytes]]) -> bytes:
    # The odd steps are for fields with a space after the colon.
    chosen = steps if b'": "' in record else steps[::2]
    if len(record) < giants.LINE:
        for full, lifted in chosen:
            record = record.replace(full, lifted)
        return record
    # Do not copy a record of this size once for each field.
    markers = dict(chosen)
    view = memoryview(record)
    pieces: list[Data] = []
    done = 0
    for match in re.finditer(b"|".join(map(re.escape, markers)) or rb"(?!)", record):
        pieces += (view[done : match.start()], markers[match[0]])
        done = match.end()
    return b"".join((*pieces, view[done:])) if done else record


def replacements(values: Mapping[str, bytes]) -> list[tuple[bytes, bytes]]:
    """Return the steps of lifting: (text, marker), in order. Undoing them in reverse order is exact
    for any bytes without marks: no step can create or break the marker of another."""
    steps = []
    for name in sorted(values):
        for colon in (b'":', b'": '):
            field = b'"' + name.encode() + colon
            steps.append((field + b'"' + values[name] + b'"', field + CONSTANT))
    return steps


def entries(blob: bytes) -> Iterator[Entry]:
    """Yield the entries of a blob of records, in order. Raises Damaged."""
    position, end = 0, len(blob)
    while position < end:
        if blob.startswith(FRAME, position):
            header = re.compile(_HEADER).match(blob, position)
            if header is None:
                raise Damaged("an entry has no readable header")
            position = header.end() + int(header[2])
            if position > end:
                raise Damaged("an entry is shorter than its header says")
            data = blob[header.end() : position]
            raw = header[1] == b"raw"
        else:
            stop = blob.find(b"\n", position) + 1 or end
            data, position, raw = blob[position:stop], stop, False
        if not raw and FRAME in data:
            raise Damaged("an entry holds a header in its middle")
        yield Entry(data, 0 if raw else data.count(STRING), raw)


def rewritten(blob: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return the blob with `change` applied to the bytes of each entry, and the lengths in headers
    updated. Raises Damaged."""
    made: list[bytes] = []
    position = 0
    for entry in entries(blob):
        framed = blob.startswith(FRAME, position)
        header = re.compile(_HEADER).match(blob, position) if framed else None
        data = change(entry.data)
        if header is not None:
            made.append(b"\x02%s %d\n" % (header[1], len(data)))
        made.append(data)
        position = (header.end() if header else position) + len(entry.data)
    return b"".join(made)


def restore(entry: Entry, steps: Sequence[tuple[bytes, bytes]], strings: Sequence[bytes]) -> bytes:
    """Return the record's exact bytes. `steps` are the `replacements` for this blob, `strings` the
    entry's own strings, in order. Raises Damaged."""
    if entry.raw:
        return entry.data
    data = entry.data
    lifted = data.count(CONSTANT)
    longest = max((len(full) for full, _ in steps), default=0)
    if len(data) + lifted * longest + sum(map(len, strings)) > RECORD_BYTES:
        raise Damaged("a record would grow beyond what a reader takes")
    if lifted:
        for full, marker in reversed(steps):
            data = data.replace(marker, full)
        if CONSTANT in data:
            raise Damaged("a lifted field has no value in session.yaml")
    if not strings:
        return data
    pieces = data.split(STRING)
    joined = [pieces[0]]
    for string, piece in zip(strings, pieces[1:], strict=True):
        joined += (string, piece)
    return b"".join(joined)
