"""Learning from a whole session in two processes: one scans the first half, its fork the second.

Through a pipe, the fork reports what it has learned and what it has found clean, so that this
process knows what it would know if it had scanned everything. Only a token cut by their border
needs both halves; if there may be one, this process scans the second half too.
"""

from __future__ import annotations

import marshal
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from gitsession.model.session import Session
from gitsession.processes import Helper, can_help
from gitsession.redaction.borders import crossings, may_join
from gitsession.redaction.records import Begun, RecordReader
from gitsession.redaction.sessions import SessionWalk, TailsByStream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    Walk = Callable[[TailsByStream], SessionWalk]
    Beginnings = dict[str, dict[str, tuple[bytes, bytes]]]

MUCH_BYTES = 2 << 20
"""From this many bytes on, a second process is worth its start-up cost."""


def learn(
    parts: Sequence[Session], reader: RecordReader, tails: TailsByStream, walk: Walk, fork: bool
) -> None:
    """Learn from every part, and hold them in memory; in two processes if it may `fork` and there
    is enough to read. Afterwards `tails` are not necessarily those of the end."""
    reader.hold(
        (data for part in parts for data in _records(part)),
        (data for part in parts for data in _files(part)),
    )
    cut = _cut(parts) if fork else 0
    helper = _begin(parts[cut:], reader, walk) if cut else None
    if helper is None:
        _learn(parts, tails, walk)
        return
    try:
        _learn(parts[:cut], tails, walk)
        answer = helper.answers.read()
    finally:
        helper.kill()
    if not _take(answer, reader, tails):
        _learn(parts[cut:], tails, walk)


def _begin(parts: Sequence[Session], reader: RecordReader, walk: Walk) -> Helper | None:
    if not can_help():
        return None
    try:
        return Helper(partial(_serve, parts, reader, walk))
    except OSError:
        return None  # no more processes available: it just takes longer


def _learn(parts: Sequence[Session], tails: TailsByStream, walk: Walk) -> None:
    for part in parts:
        walk(tails).learn(part)


def _cut(parts: Sequence[Session]) -> int:
    """Where the second half begins; 0 if there is too little data or only one part."""
    ends = list(accumulate(map(_size, parts)))
    if len(ends) < 2 or ends[-1] < MUCH_BYTES:
        return 0
    return min(bisect_left(ends, ends[-1] / 2) + 1, len(ends) - 1)


def _records(part: Session) -> Iterator[bytes]:
    return (record.data for stream in part.streams for record in stream.records)


def _files(part: Session) -> Iterator[bytes]:
    yield from (file.content for file in part.files if file.content is not None)
    yield from (sidecar.data for sidecar in part.sidecars)


def _size(part: Session) -> int:
    return sum(map(len, _records(part))) + sum(map(len, _files(part)))


def _serve(
    parts: Sequence[Session], reader: RecordReader, walk: Walk, _: BinaryIO, answers: BinaryIO
) -> None:
    known, unread = reader.scanner.learned.rules(), reader.scanner.unscanned
    tails = {stream.name: Begun() for part in parts for stream in part.streams}
    _learn(parts, dict(tails), walk)
    learned = reader.scanner.learned.rules()
    new = {value: rule for value, rule in learned.items() if known.get(value) != rule}
    beginnings = {name: begun.texts for name, begun in tails.items()}
    unread = reader.scanner.unscanned - unread
    marshal.dump((new, reader.judged(), reader.scanner.judged(), unread, beginnings), answers)


def _take(answer: bytes, reader: RecordReader, tails: TailsByStream) -> bool:
    """Take over the answer. Returns False if it is incomplete or a token may cross the border."""
    try:
        new, records, strings, unread, beginnings = marshal.loads(answer)  # noqa: S302 (our own fork's)
    except (EOFError, ValueError, TypeError):
        return False  # it was killed
    if _is_crossed(reader, tails, beginnings):
        return False
    for value, rule in new.items():
        reader.scanner.learned.add(value, rule)
    reader.take(records)
    reader.scanner.take(strings, unread)
    return True


def _is_crossed(reader: RecordReader, tails: TailsByStream, beginnings: Beginnings) -> bool:
    """Whether a text of the first half continues in the second."""
    for stream, texts in beginnings.items():
        for name, (text, end) in texts.items():
            before = tails.get(stream, {}).get(name)
            if (
                before is not None
                and before.text != end
                and may_join(before.text, text)
                and crossings(reader.scanner.joined, before.text, text)
            ):
                return True
    return False
