"""Walking a session: all of its records, names, paths, files and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitsession.model.finding import _PROOF, Finding, Redacted
from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.model.session import Session
from gitsession.redaction.jsonwalk import apply
from gitsession.redaction.notes import IDS, Notes
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.records import RecordReader, Tails, forget_places
from gitsession.redaction.recordscan import RecordScan
from gitsession.redaction.scanner import SHORTEST
from gitsession.redaction.values import cleaned, is_heard
from gitsession.redaction.withheld import assigned_values, is_secret_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.settings import Settings

_BY_HAND = frozenset(("streams", "sidecars", "files", "instructions", "originals"))
TailsByStream = dict[str, Tails]


class SessionWalk(Notes):
    """One pass over one session; `tails` connects it to the pass over the session before."""

    def __init__(
        self, reader: RecordReader, placeholders: Placeholders, tails: TailsByStream,
        settings: Settings | None = None,
    ) -> None:  # fmt: skip
        super().__init__(reader.scanner, placeholders)
        self._reader = reader
        self._settings = settings
        self._tails = tails
        self._quiet = _BY_HAND
        self._read_version = -1
        self._whole: set[tuple[str, int]] = set()
        self._calm: set[tuple[str, str]] = set()

    def learn(self, session: Session) -> None:
        """Learn the values of all secrets, without building anything."""
        self._read(session)
        self._scanner.learn()

    def redact(self, session: Session) -> Redacted:
        before = {name: dict(tails) for name, tails in self._tails.items()}
        version = self._scanner.learned.version
        scans = self._read(session)
        self._scanner.learn()
        if self._scanner.learned.version != version:
            # A value learned just now may also occur earlier.
            self._tails.clear()
            self._tails.update(before)
            scans = self._read(session)
        streams = tuple(map(self._stream, session.streams, scans))
        quiet = self._quiet if self._heard_last() else _BY_HAND
        rest = cleaned(session, "session", self.clean, quiet)
        made = rest._replace(
            streams=streams,
            sidecars=tuple(map(self._sidecar, session.sidecars)),
            files=tuple(map(self._file, session.files)),
            instructions=tuple(map(self._file, session.instructions)),
            originals=tuple(map(self._file, session.originals)),
        )
        self._scanner.learn()
        return Redacted(made, tuple(self.findings), _PROOF)

    def findings_in(self, text: str) -> tuple[Finding, ...]:
        """Findings in a text; offsets count its UTF-8 bytes."""
        data = text.encode("utf-8", "surrogatepass")
        lines = data.splitlines(keepends=True) if data[:1] in (b"{", b"[") else [data]
        offset = 0
        for index, scan in enumerate(self._reader.records(lines, {})):
            if scan:
                self._edited(scan, "", index, offset)
            offset += len(lines[index])
        self._scanner.learn()
        return tuple(self.findings)

    def _read(self, session: Session) -> list[list[RecordScan | None]]:
        self._whole.clear()
        self._read_version = self._scanner.learned.version
        for file in (*session.files, *session.instructions, *session.originals):
            if file.content is not None:
                self._read_file(file.path, file.content)
        for sidecar in session.sidecars:
            self._read_file(sidecar.source or sidecar.path, sidecar.data)
        self._hear_values(session)
        scans = []
        for stream in session.streams:
            tails = self._tails.setdefault(stream.name, {})
            scans.append(self._reader.records([one.data for one in stream.records], tails))
            forget_places(tails)
        return scans

    def _heard_last(self) -> bool:
        """Whether nothing was learned since the last reading, so that its findings are final."""
        return self._scanner.learned.version == self._read_version

    def _hear_values(self, session: Session) -> None:
        """Scan the values other than records and files; those without findings need no cleaning."""
        self._calm = self._scanner.calm()
        names = (name for name in session.__match_args__ if name not in _BY_HAND)
        quiet = [
            name
            for name in names
            if not is_heard(getattr(session, name), name, self._hear, self._calm)
        ]
        self._quiet = _BY_HAND.union(quiet)

    def _read_file(self, path: str, data: bytes) -> None:
        self._scanner.word(path)
        if self._settings and self._settings.is_unscanned(path):
            return
        if is_secret_path(path):
            for value in assigned_values(data):
                self._scanner.learned.add(value, "assigned")
        found = [bool(self._reader.record(part)) for part in _parts(path, data)]
        if not any(found):
            self._whole.add((path, id(data)))

    def _hear(self, text: str, name: str) -> bool:
        key = (text, name)
        if key in self._calm or not text:
            return False
        if len(text) < SHORTEST and text.isascii() and name not in IDS:
            return False
        found = bool(self._scanner.word(text, name))
        found = bool(name in IDS and self._scanner.word(text, name, exact=True)) or found
        if not found:
            self._scanner.keep_calm(text, name)
        return found

    def _stream(self, stream: Stream, scans: Sequence[RecordScan | None]) -> Stream:
        # Where the records start in the source; negative if the adapter does not say.
        offset = max(-1, stream.offset - sum(len(record.data) for record in stream.records))
        known = offset >= 0
        name = self.clean(stream.name, "", "stream name")
        records = []
        for index, (record, scan) in enumerate(zip(stream.records, scans, strict=True)):
            if scan:
                data = self._edited(scan, name, stream.first + index, offset)
                records.append(Record(data))
            else:
                records.append(record)
            offset += len(record.data) if known else 0
        return stream._replace(name=name, records=tuple(records))

    def _sidecar(self, sidecar: Sidecar) -> Sidecar:
        path = self.clean(sidecar.path, "", "sidecar path")
        if is_secret_path(sidecar.source) and not self._is_attached(sidecar.source):
            return Sidecar(path, _withheld(sidecar.data, self._placeholders.mac(sidecar.data)))
        data = self._content(sidecar.path, path, sidecar.data, "sidecars")
        return sidecar if data is sidecar.data and path == sidecar.path else Sidecar(path, data)

    def _file(self, file: File) -> File:
        path = self.clean(file.path, "", "file path")
        if file.content is None:
            return file._replace(path=path)
        if is_secret_path(file.path) and not self._is_attached(file.path):
            return File(path, None, "secret", file.size or len(file.content))
        data = self._content(file.path, path, file.content, "files")
        return (
            file
            if data is file.content and path == file.path
            else file._replace(path=path, content=data)
        )

    def _is_attached(self, path: str) -> bool:
        return self._settings is not None and self._settings.is_attached(path)

    def _content(self, path: str, shown: str, data: bytes, room: str) -> bytes:
        if self._settings and self._settings.is_unscanned(path):
            return data
        if (path, id(data)) in self._whole and self._heard_last():
            return data
        parts = []
        changed = False
        for index, part in enumerate(_parts(path, data)):
            scan = self._reader.record(part)
            if scan:
                changed = True
                part = self._edited(scan, f"{room}/{shown}", index, -1)
            parts.append(part)
        return b"".join(parts) if changed else data

    def _edited(self, scan: RecordScan, stream: str, index: int, offset: int) -> bytes:
        """The record without its findings, which are noted; `offset` -1: not in a source."""
        made = []
        for edit, path in scan.edits(self.name):
            where = offset + edit.start if offset >= 0 else -1
            old = scan.data[edit.start : edit.end]
            self.note(edit.rule, self.place(stream, index, path), edit.name, stream, where, old)
            made.append(edit)
        return apply(scan.data, made)


def _withheld(data: bytes, mac: str) -> bytes:
    """The replacement for a copy of a secret file: its size and keyed hash."""
    return b"(withheld by gitsession: a copy of a secret file, %d bytes, %s)\n" % (
        len(data),
        mac.encode(),
    )


def _parts(path: str, data: bytes) -> Iterator[bytes]:
    """Yield what is scanned at a time: JSON Lines by line, every other file whole."""
    if path.endswith(".jsonl"):
        yield from _lines(data)
    elif data:
        yield data


def _lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end
