"""Decode a version's tree: only its head, the records of one stream one by one, or everything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gitsession.environment import memory
from gitsession.errors import FormatError
from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.model.session import Session
from gitsession.snapshot import layout as names
from gitsession.snapshot import limits, turnblob, yamlsubset
from gitsession.snapshot.constants import Values, by_blob, in_force
from gitsession.snapshot.fields import Fields
from gitsession.snapshot.head import Head, check_format, head_from
from gitsession.snapshot.paths import unescape, unescape_file

Tree = Mapping[str, bytes]
"""A lazy, read-only mapping of tree paths to blob bytes; raises KeyError for a missing path."""

_FORMAT = re.compile(rb"\Aformat: ([0-9]{1,9})\r?\n")
_FSCK = "run `gitsession fsck` to find the last good version"


def decode_head(tree: Tree) -> Head:
    """Return positions, counts, metadata and state. Reads two files, however long the session is.

    Raises FormatError if the tree is damaged or in a newer format.
    """
    document = _session_document(tree)
    try:
        data = tree[names.STATE]
    except KeyError:
        return head_from(document, {})
    return head_from(document, yamlsubset.load(data, names.STATE))


def decode_counts(tree: Tree) -> dict[str, int]:
    """Return the number of records in each stream of a version; faster than decoding the whole
    head. Raises FormatError."""
    fields = Fields(_session_document(tree, only="streams"), names.SESSION)
    return {unescape(one.text("name")): one.number("records") for one in fields.each("streams")}


def _session_document(tree: Tree, only: str = "") -> dict[str, object]:
    try:
        data = tree[names.SESSION]
    except KeyError:
        raise FormatError("this commit holds no session.yaml: it is not a version") from None
    # Check the number first: a later format need not be written in our YAML subset.
    found = _FORMAT.match(data)
    if found is not None:
        check_format(int(found[1]), names.SESSION)
    return yamlsubset.load(data, names.SESSION, only)


def decode(tree: Tree) -> Session:
    """Return the whole session, in memory; `messages` stays empty. Raises FormatError."""
    head = decode_head(tree)
    budget = _Budget(_most())
    streams = tuple(
        Stream(stream.name, tuple(budget.take(records(tree, head, stream.name))), 0, stream.offset)
        for stream in head.session.streams
    )
    return _with_contents(tree, head, budget)._replace(streams=streams)


def decode_files(tree: Tree) -> Session:
    """Return the session's metadata, sidecars and files, without streams. Raises FormatError."""
    head = decode_head(tree)
    session = _with_contents(tree, head, _Budget(_most()))
    return session._replace(streams=())


def _with_contents(tree: Tree, head: Head, budget: _Budget) -> Session:
    sidecars, files, instructions = [], list(head.session.files), []
    originals = []
    for path, data in _contents(tree, head, budget):
        if path.startswith(names.SIDECARS):
            sidecars.append(Sidecar(unescape(path.removeprefix(names.SIDECARS)), data))
        elif path.startswith(names.FILES):
            files.append(_file(path.removeprefix(names.FILES), data, _runs(tree, path)))
        elif path.startswith(names.ORIGINALS):
            originals.append(_file(path.removeprefix(names.ORIGINALS), data, _runs(tree, path)))
        else:
            instructions.append(_file(path.removeprefix(names.INSTRUCTIONS), data))
    return head.session._replace(
        sidecars=tuple(sidecars),
        files=tuple(files),
        instructions=tuple(instructions),
        originals=tuple(originals),
    )


def records(tree: Tree, head: Head, stream: str = "main") -> Iterator[Record]:
    """Yield the records of a stream in order, holding one turn blob in memory at a time.

    Raises FormatError if a blob or string is missing (naming record and blob), or if the number of
    records differs from the one in session.yaml.
    """
    index = 0
    layout, folder = head.layout(stream), names.stream_folder(stream)
    known: Values | None = None
    steps: list[tuple[bytes, bytes]] = []
    for number, values in by_blob(layout.constants, layout.blobs, head.start(stream)):
        if values is not known:
            known, steps = values, turnblob.replacements(values)
        for data in _blob_records(tree, names.blob_stem(folder, number), steps, stream, index):
            yield Record(data)
            index += 1
    expected = head.session.stream(stream).count
    if index != expected:
        raise FormatError(
            f"stream {stream!r} has {index} records; session.yaml says {expected}", hint=_FSCK
        )


def blob_records(tree: Tree, head: Head, stream: str, number: int) -> Iterator[Record]:
    """Return the records of one turn blob (from 0) as an iterator. Errors cannot give a record's
    number in the stream."""
    stem = names.blob_stem(names.stream_folder(stream), number)
    values = in_force(head.layout(stream).constants, number, head.start(stream))
    steps = turnblob.replacements(values)
    return map(Record, _blob_records(tree, stem, steps, stream))


def _blob_records(
    tree: Tree, stem: str, steps: list[tuple[bytes, bytes]], stream: str, index: int | None = None
) -> Iterator[bytes]:
    """Yield the records of one turn blob. `index` is the position of its first record in the
    stream, from 0; errors name records counted from 1."""
    path = names.records_blob(stem)
    data = _read(tree, path, f"{_record(index, 0, stream)} and those after it")
    ordinal = place = 0
    try:
        for entry in turnblob.entries(data):
            paths = (names.string_blob(stem, ordinal + k) for k in range(entry.marks))
            strings = _strings(tree, paths, f"a text of {_record(index, place, stream)}")
            ordinal += entry.marks
            yield turnblob.restore(entry, steps, strings)
            place += 1
    except turnblob.Damaged as error:
        where = f"{path}, {_record(index, place, stream)}"
        raise FormatError(f"{where}: {error}", hint=_FSCK) from None


def _record(first: int | None, place: int, stream: str) -> str:
    number = "a record" if first is None else f"record {first + place + 1}"
    return f"{number} of {stream!r}"


def _strings(tree: Tree, paths: Iterator[str], holds: str) -> list[bytes]:
    """Return the cut strings of one record; raises Damaged as soon as their total exceeds
    RECORD_BYTES."""
    strings: list[bytes] = []
    left = limits.RECORD_BYTES
    for path in paths:
        strings.append(_read(tree, path, holds))
        left -= len(strings[-1])
        if left < 0:
            raise turnblob.Damaged("a record would grow beyond what a reader takes")
    return strings


def _read(tree: Tree, path: str, holds: str) -> bytes:
    """Return the bytes of a blob, joining its parts; `holds` describes, for errors, what it
    contains."""
    try:
        return tree[path]
    except KeyError:
        pass
    except FormatError as error:
        raise FormatError(f"{path} ({holds}) cannot be read: {error}", hint=_FSCK) from None
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            parts.append(tree[names.part(path, len(parts))])
        except KeyError:
            break
        size += len(parts[-1])
        if size > limits.RECORD_BYTES:
            raise FormatError(f"{path} is larger than a reader takes")
    if not parts:
        raise FormatError(f"{path} is missing; it holds {holds}", hint=_FSCK)
    return b"".join(parts)


def _contents(tree: Tree, head: Head, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of sidecars, files, instructions and originals by path, the parts of
    large ones joined."""
    if len(tree) > limits.TREE_ENTRIES:
        raise FormatError(f"a version with more than {limits.TREE_ENTRIES} files is refused")
    wanted = (names.SIDECARS, names.FILES, names.INSTRUCTIONS, names.ORIGINALS)
    pieces: dict[str, list[tuple[int, str]]] = {}
    for path in tree:
        if path.startswith(wanted):
            whole, number = _piece(path)
            pieces.setdefault(whole, []).append((number, path))
    for whole in sorted(pieces.keys() | head.parts.keys()):
        found = sorted(pieces.get(whole, ()))
        count = head.parts.get(whole, 0)
        if [number for number, _ in found] != (list(range(count)) or [-1]):
            raise FormatError(f"a piece of {whole} is missing or too many", hint=_FSCK)
        if len(whole) > limits.PATH_BYTES or whole.count("/") > limits.PATH_DEPTH:
            raise FormatError("a path in this version is longer or deeper than a reader takes")
        yield whole, b"".join(budget.bytes(tree[path]) for _, path in found)


def _piece(path: str) -> tuple[str, int]:
    stem, dot, number = path.rpartition(".p")
    if dot and number.isascii() and number.isdigit() and len(number) < 9:
        return stem, int(number)
    return path, -1


def _file(path: str, data: bytes, runs: bool = False) -> File:
    return File(unescape_file(path), data, "", len(data), runs)


def _runs(tree: Tree, path: str) -> bool:
    """Whether a file is executable, if the tree knows; a file stored in parts is not."""
    try:
        return bool(getattr(tree, "may_run", _never)(path))
    except KeyError:
        return False


def _never(path: str) -> bool:  # noqa: ARG001
    return False


def _most() -> int:
    """Return the bytes that a version may expand to: a small pack can hold a version of any size,
    which must not use up all memory."""
    there = memory() or 4 * limits.SESSION_BYTES
    return min(limits.SESSION_BYTES, max(limits.LEAST_BYTES, there // 4))


class _Budget:
    """The number of bytes that one session may still expand to in memory."""

    def __init__(self, left: int) -> None:
        self._left = left

    def spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise FormatError("this version expands beyond what a reader takes")

    def bytes(self, data: bytes) -> bytes:
        self.spend(len(data))
        return data

    def take(self, items: Iterator[Record]) -> Iterator[Record]:
        for record in items:
            self.spend(len(record.data))
            yield record
