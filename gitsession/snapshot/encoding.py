"""Encode a redacted continuation as the files of one version, on top of the previous version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitsession.model.encoded import Data, Encoded, Executable
from gitsession.model.finding import Redacted
from gitsession.model.record import File, Stream
from gitsession.model.session import Info, Session, State, Turn
from gitsession.snapshot import layout as names
from gitsession.snapshot import turnblob, yamlsubset
from gitsession.snapshot.constants import in_force, update
from gitsession.snapshot.head import (
    INFO_TEXTS,
    Head,
    Layout,
    head_document,
    start_values,
)
from gitsession.snapshot.limits import (
    LISTED,
    PART,
    PATH_BYTES,
    PATH_DEPTH,
    PROMPT,
    TEXT,
    TITLE,
    WITHHELD,
)
from gitsession.snapshot.message import commit_message
from gitsession.snapshot.paths import escape, escape_file
from gitsession.snapshot.state import fit
from gitsession.snapshot.times import unix_seconds

_EMPTY = Head(Session(Info("", "")))


def encode(
    redacted: Redacted,
    base: Head | None,
    constants: Iterable[str] = (),
    *,
    redaction: Mapping[str, str] | None = None,
) -> tuple[Encoded, Head]:
    """Return the files to write over `base`'s tree (None: over an empty one) and the new version's
    Head.

    `base` is the newest finished version, so turn blobs are only added. `constants` are the field
    names that the adapter declares. The version's number is `base.number` + 1: a rewritten past
    starts from an empty Head with the number of its parent. `redaction` gives the `rules` and `key`
    in force. Raises ValueError if a stream does not start where `base` ends.
    """
    before = base or _EMPTY
    writer = _Files(before.parts)
    session = redacted.session
    layouts, positions = _add_streams(writer, session.streams, before, tuple(constants))
    withheld, left_out = _add_files(writer, before, session)
    head = Head(
        session=session._replace(
            info=_info(session.info, before.session.info),
            streams=tuple(positions.values()),
            sidecars=(),
            files=withheld,
            state=_state(session.state, before),
            turn=_turn(session.turn or Turn()),
            messages=(),
            instructions=(),
            originals=(),
        ),
        number=before.number + 1,
        layouts=layouts,
        redaction=dict(redaction if redaction is not None else before.redaction),
        parts=writer.parts,
        withheld_more=left_out,
        unknown=before.unknown,
    )
    _add_metadata(writer, head, base)
    message = commit_message(
        head.session._replace(turn=session.turn), head.number, len(redacted.findings)
    )
    return Encoded(redacted, writer.files, message, _time(head, base)), head


def _info(info: Info, before: Info) -> Info:
    """Return `info` with its identity, which never changes once a version has one. Lists and texts
    longer than any honest source has are cut, because a reader accepts at most 1 MiB."""
    identity = info.identity or before.identity or f"{info.agent}/{info.native_id}"
    roots = info.roots or ((info.cwd,) if info.cwd else ())
    info = info._replace(
        identity=identity,
        title=info.title[:TITLE],
        roots=roots[:LISTED],
        models=info.models[:LISTED],
    )
    texts = {name: getattr(info, name) for name in INFO_TEXTS}
    long = {name: text[:TEXT] for name, text in texts.items() if len(text) > TEXT}
    return info._replace(**long) if long else info


def _state(state: State, before: Head) -> State:
    if state == before.session.state:
        return state
    return fit(state, before.unknown.get("state.yaml", {}))


def _turn(turn: Turn) -> Turn:
    """Cut the prompt to its beginning: every version rewrites the head."""
    if len(turn.prompt) <= PROMPT:
        return turn
    return turn._replace(prompt=turn.prompt[:PROMPT] + "…")


class _Files:
    """Collects tree paths and bytes; anything larger than 32 MiB is stored in parts."""

    def __init__(self, parts: Mapping[str, int]) -> None:
        self.files: dict[str, Data | None] = {}
        self.parts = dict(parts)
        self._folders: set[str] = set()

    def put(self, path: str, data: bytes | None) -> None:
        """Store `data` at `path`, replacing its earlier parts; None removes the path."""
        old = self.parts.pop(path, 0)
        if data is not None and len(data) > PART:
            count = -(-len(data) // PART)
            for index in range(count):
                piece = memoryview(data)[index * PART : (index + 1) * PART]
                self.files[names.part(path, index)] = piece
            self.parts[path] = count
            self.files[path] = None
        else:
            count = 0
            self.files[path] = data
        for index in range(count, old):
            self.files[names.part(path, index)] = None

    def offer(self, path: str, data: bytes | None) -> bool:
        """`put`, unless no reader would accept the path; return whether it was stored. Where a path
        is a file in one call and a folder in another, the last call wins."""
        if len(path.encode()) > PATH_BYTES or path.count("/") >= PATH_DEPTH:
            return False
        if data is not None:
            parts = path.split("/")
            above = {"/".join(parts[:depth]) for depth in range(2, len(parts))}
            gone = [other for other in above if other in self.files]
            if path in self._folders:
                gone += [other for other in self.files if other.startswith(f"{path}/")]
            for other in gone:
                self.put(other, None)
            self._folders |= above
        self.put(path, data)
        return True

    def add(self, path: str, data: Data) -> None:
        """`put` for a path that no earlier version can contain."""
        if len(data) <= PART:
            self.files[path] = data
            return
        for index in range(-(-len(data) // PART)):
            piece = memoryview(data)[index * PART : (index + 1) * PART]
            self.files[names.part(path, index)] = piece


def _add_streams(
    writer: _Files, streams: tuple[Stream, ...], before: Head, fields: tuple[str, ...]
) -> tuple[dict[str, Layout], dict[str, Stream]]:
    """Write the blobs of the new records; return the layouts and positions of all streams."""
    layouts = dict(before.layouts)
    positions = {stream.name: stream for stream in before.session.streams}
    for stream in sorted(streams, key=lambda stream: stream.name != "main"):
        name, old = stream.name, positions.get(stream.name)
        layouts.setdefault(name, Layout())
        if not stream.records:
            positions[name] = old or Stream(name, (), stream.first, stream.offset)
            continue
        expected = old.count if old else 0
        if stream.first != expected:
            raise ValueError(
                f"stream {name!r} goes on at record {stream.first}; "
                f"the version before ends at {expected}"
            )
        if name != "main" and not layouts[name].blobs and "main" in layouts:
            layouts[name] = Layout(like_main=layouts["main"].blobs)
        layouts[name] = _add_stream(writer, stream, layouts, fields)
        positions[name] = Stream(name, (), stream.count, stream.offset)
    return layouts, positions


def _add_stream(
    writer: _Files, stream: Stream, layouts: Mapping[str, Layout], fields: tuple[str, ...]
) -> Layout:
    layout, start = layouts[stream.name], start_values(layouts, stream.name)
    records = [record.data for record in stream.records]
    turn = turnblob.cut(records)
    members = turnblob.members(records, turn)
    ranges = update(layout.constants, layout.blobs, fields, records, start, members)
    blobs = turnblob.packed(turn, in_force(ranges, layout.blobs, start))
    folder = names.stream_folder(stream.name)
    for index, blob in enumerate(blobs, layout.blobs):
        stem = names.blob_stem(folder, index)
        writer.add(names.records_blob(stem), blob.data)
        for ordinal, string in enumerate(blob.strings):
            writer.add(names.string_blob(stem, ordinal), string)
    return Layout(layout.blobs + len(blobs), ranges, layout.like_main)


def _add_files(writer: _Files, before: Head, session: Session) -> tuple[tuple[File, ...], int]:
    """Store sidecars, files, instructions and originals. Return the withheld and deleted files of
    the new version, and the number of those that are not named."""
    withheld = {file.path: file for file in before.session.files}
    for file in session.files:
        withheld.pop(file.path, None)
        stored = writer.offer(names.FILES + escape_file(file.path), _content(file))
        if not stored or file.content is None:
            size = file.size or len(file.content or b"")
            withheld[file.path] = File(file.path, None, file.reason or "special", size)
    for sidecar in session.sidecars:
        path = names.SIDECARS + escape(sidecar.path)
        if not writer.offer(path, sidecar.data):
            withheld[path] = File(path, None, "special", len(sidecar.data))
    for file in session.instructions:
        writer.offer(names.INSTRUCTIONS + escape_file(file.path), file.content)
    for file in session.originals:
        writer.offer(names.ORIGINALS + escape_file(file.path), _content(file))
    named = _named(withheld.values())
    return named, before.withheld_more + len(withheld) - len(named)


def _content(file: File) -> bytes | None:
    return (
        Executable(file.content) if file.executable and file.content is not None else file.content
    )


def _named(withheld: Iterable[File]) -> tuple[File, ...]:
    """Return the newest files that `session.yaml` has room for; deleted files have their own quota,
    so they do not displace withheld ones."""
    files = [file for file in withheld if len(file.path) <= TEXT]
    gone = [file for file in files if file.reason == "deleted"][-WITHHELD:]
    kept = [file for file in files if file.reason != "deleted"][-WITHHELD:]
    chosen = {file.path for file in (*gone, *kept)}
    return tuple(file for file in files if file.path in chosen)


def _add_metadata(writer: _Files, head: Head, base: Head | None) -> None:
    state = head.state_document()
    if base is None or state != base.state_document():
        if state:
            writer.files[names.STATE] = yamlsubset.dump(state)
        elif base is not None:
            writer.files[names.STATE] = None
    writer.files[names.SESSION] = yamlsubset.dump(head_document(head))


def _time(head: Head, base: Head | None) -> int:
    """Return the unix seconds of the newest record or, if the source has no times, of the previous
    version."""
    session = head.session
    for text in (session.turn.time if session.turn else "", session.info.updated):
        seconds = unix_seconds(text)
        if seconds is not None:
            return seconds
    if base is not None:
        return _time(base, None)
    return unix_seconds(session.info.created) or 0
