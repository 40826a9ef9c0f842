"""The bytes of a rollout: plain or compressed, with the history of its parents before its own.

A fork by reference (`session_meta.history_base`) contains no history. It is read as one *tape*: the
parent's bytes up to the cut, recursively, then its own. A position is a byte of that tape. Since a
parent is only ever appended to, the bytes before the cut never move, so positions stay exact.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from gitsession.agents.codex.records import Row, rows, words
from gitsession.errors import SourceUnreadable
from gitsession.files import is_regular, lines, regular
from gitsession.giants import short

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_HEADER_LINES = 40
_HEADER_BYTES = 8 << 20
_DEPTH = 64
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>")
_KINDS = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))


class Segment(NamedTuple):
    """Bytes `0..length` of a file, at `start` of the tape; path None if the file is missing."""

    path: Path | None
    start: int
    length: int


def open_bytes(path: Path) -> BinaryIO:
    """Open a rollout for reading from its first byte, decompressing it if necessary."""
    stream = open(path, "rb", opener=regular)  # noqa: SIM115 - the caller closes what is returned
    if stream.read(4) != _ZSTD_MAGIC:
        stream.seek(0)
        return stream
    import zstandard

    stream.seek(0)
    reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return cast("BinaryIO", io.BufferedReader(_Decompressed(reader, stream)))


class _Decompressed(io.RawIOBase):
    """A decompressor as a raw stream: damage in the compressed data ends the stream."""

    def __init__(self, reader: BinaryIO, stream: BinaryIO) -> None:
        self._reader = reader
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import zstandard

        try:
            data = self._reader.read(len(buffer))
        except zstandard.ZstdError:
            return 0
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def header(path: Path) -> Row | None:
    """Return the `session_meta` of a file: the first row of that kind in its first lines.

    None for a file that is not a rollout at all. A rollout whose head is damaged gives a row
    without an id, so that the rest is not lost; a bare one gets the folder that its first texts
    name.
    """
    if not is_regular(path):
        return None
    first: Row | None = None
    try:
        for row in _first_rows(path):
            if row.kind == "session_meta" and isinstance(row.payload.get("id"), str):
                if not row.bare:
                    return row
                first = row
            elif first is not None and first.bare and first.kind == "session_meta":
                named = _CWD.search(words(row.payload.get("content")))
                if named:
                    return first._replace(payload={**first.payload, "cwd": named.group(1)})
            elif row.kind in _KINDS and not row.bare:
                first = first or row._replace(kind="other")
    except (OSError, ImportError, EOFError):
        return None
    if first is not None and first.kind == "other":
        return first._replace(payload={}, kind="session_meta")
    return first


def _first_rows(path: Path) -> Iterator[Row]:
    with open_bytes(path) as stream:
        left = _HEADER_BYTES
        for _ in range(_HEADER_LINES):
            line = stream.readline(left)
            left -= len(line)
            yield from rows(short(line))[0] if line else ()
            if not line or left <= 0:
                return


def id_in_name(path: Path) -> str:
    """Return the id in a rollout's file name, "" if there is none."""
    found = ID.findall(path.name)
    return found[-1] if found else ""


class Tape:
    """One session's bytes in the order in which a resume would see them."""

    def __init__(self, segments: tuple[Segment, ...], missing: str) -> None:
        self.segments = segments
        self.missing = missing
        """Id of the parent whose history could not be found, "" if all is there."""

    @property
    def ancestors(self) -> tuple[str, ...]:
        """Ids of the parents that the tape begins with, oldest first."""
        return tuple(id_in_name(part.path) for part in self.segments[:-1] if part.path)

    @property
    def base(self) -> int:
        """How many bytes of the tape belong to the parents."""
        return self.segments[-1].start

    @property
    def length(self) -> int:
        return self.segments[-1].start + self.segments[-1].length

    def lines(self, start: int) -> Iterator[bytes]:
        """Yield the lines from a position on, each with its line end; cut where files meet."""
        for segment in self.segments:
            skip = max(0, start - segment.start)
            if segment.path is not None and skip < segment.length:
                yield from _lines(segment.path, skip, segment.length)

    def line_at(self, position: int) -> bytes:
        """Return the one line that starts there; b"" if nothing can be read."""
        try:
            return next(self.lines(position), b"")
        except OSError:
            return b""

    def read(self, position: int, length: int) -> bytes:
        """Return those bytes, fewer at the end or if a parent is missing."""
        result = b""
        for segment in self.segments:
            skip = position + len(result) - segment.start
            take = min(length - len(result), segment.length - skip)
            if segment.path is None or skip < 0 or take <= 0:
                continue
            with open_bytes(segment.path) as stream:
                _skip(stream, skip)
                result += stream.read(take)
        return result


def _skip(stream: BinaryIO, count: int) -> None:
    if not isinstance(getattr(stream, "raw", None), _Decompressed):
        stream.seek(count)
        return
    while count > 0:
        data = stream.read(min(count, 1 << 20))
        if not data:
            return
        count -= len(data)


def _lines(path: Path, start: int, end: int) -> Iterator[bytes]:
    if not _is_compressed(path):
        yield from lines(path, start, end)
        return
    with open_bytes(path) as stream:
        _skip(stream, start)
        left = end - start
        while left > 0:
            line = stream.readline(left)
            if not line:
                return
            left -= len(line)
            yield line


def length_of(path: Path) -> int:
    """Return the size of a rollout in bytes, decompressed; raises OSError."""
    with open_bytes(path) as stream:
        if not isinstance(getattr(stream, "raw", None), _Decompressed):
            return os.fstat(stream.fileno()).st_size
        total = 0
        while data := stream.read(1 << 20):
            total += len(data)
        return total


def open_tape(path: Path, size: int, remembered: int = 0) -> tuple[Tape, Row]:
    """Return the tape of a rollout whose own part ends at `size`, and its `session_meta`.

    `remembered` is the length of the parents' part that an earlier read found; it keeps positions
    right if the parent has disappeared since. Raises SourceUnreadable.
    """
    meta = header(path)
    if meta is None:
        raise SourceUnreadable(
            "the file is no Codex session, or it cannot be read",
            hint="give a rollout-*.jsonl file of Codex",
        )
    own = size if not _is_compressed(path) else length_of(path)
    base, missing = _base(path, meta, {meta.payload.get("id", "")})
    length = sum(part.length for part in base)
    if missing and remembered:
        base, length = (Segment(None, 0, remembered),), remembered
    return Tape((*base, Segment(path, length, own)), missing), meta


def _is_compressed(path: Path) -> bool:
    with open(path, "rb", opener=regular) as stream:
        return stream.read(4) == _ZSTD_MAGIC


def _base(path: Path, meta: Row, seen: set[str]) -> tuple[tuple[Segment, ...], str]:
    """Return the parents' segments, oldest first, and the id of the first missing parent."""
    reference = meta.payload.get("history_base")
    if not isinstance(reference, dict):
        return (), ""
    parent, cut = reference.get("thread_id"), reference.get("end_byte_offset")
    if not isinstance(parent, str) or not isinstance(cut, int) or cut < 0:
        return (), str(parent or "?")
    found = _parent_file(path, parent) if parent not in seen and len(seen) < _DEPTH else None
    above = header(found) if found is not None else None
    if found is None or above is None or length_of(found) < cut:
        return (), parent
    segments, missing = _base(found, above, seen | {parent})
    if missing:
        return (), missing
    start = sum(part.length for part in segments)
    return (*segments, Segment(found, start, cut)), ""


def _parent_file(path: Path, native_id: str) -> Path | None:
    """Return the rollout with that id: next to the child, or anywhere in the same home."""
    if not ID.fullmatch(native_id):
        return None
    folders = [path.parent]
    for folder in path.parents:
        if folder.name in ("sessions", "archived_sessions"):
            folders += [folder.parent / "sessions", folder.parent / "archived_sessions"]
            break
    for index, folder in enumerate(folders):
        for candidate in rollouts(folder, recursive=index > 0):
            if id_in_name(candidate) == native_id:
                return candidate
    return None


def rollouts(folder: Path, *, recursive: bool = True) -> Iterator[Path]:
    """Yield rollout files below a folder; of a plain and a compressed copy only the plain one."""
    for parent, folders, names in os.walk(folder):
        present = set(names)
        for name in sorted(names, reverse=True):
            plain = name.removesuffix(".zst")
            if "rollout-" not in name or not plain.endswith(".jsonl"):
                continue
            if name == plain or plain not in present:
                yield Path(parent, name)
        if not recursive:
            return
        folders.sort(reverse=True)
