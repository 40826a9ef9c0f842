"""Sessions of users with an agent of their own, in a documented format (`gitsession-generic 1`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.agents.generic import form as form
from gitsession.agents.generic.fold import METADATA, GenericFold
from gitsession.agents.lenient import mapping_of, parse_line, text_of
from gitsession.agents.turns import OpenTurn, cut
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.files import is_regular, lines, read_range, regular
from gitsession.model.message import Message, Part
from gitsession.model.record import Stream
from gitsession.model.session import Session

NAME = "generic"
_HEAD = 4096


def memory(native_id: str, data: bytes, *, cwd: str = "", title: str = "") -> Source:
    """Return a source to be saved without a file.

    Saving the same id again requires the same bytes with more appended.
    """
    path = Path(f"{native_id}.jsonl")
    return Source(NAME, native_id, path, len(data), 0, cwd, title, data=data)


def dump(session: Session) -> bytes:
    """Return any agent's session, its `messages` filled, as one JSON object that `import` reads."""
    from gitsession.agents.generic import write as generic_write

    return generic_write.dump(session, session.messages, one_object=True)


class Generic:
    """See `agents.base.Agent`. New files are written to a folder in the user's data directory."""

    name = NAME
    title = "own agent"
    capabilities = Capabilities(resume=False)
    constants: tuple[str, ...] = ()

    def home(self, environment: Environment) -> Path:
        return environment.data_dir / "generic"

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        try:
            paths = list(self.home(environment).glob("*.json*"))
        except OSError:
            return
        found = [source for source in map(self.recognise, paths) if source is not None]
        for source in sorted(found, key=lambda one: one.mtime, reverse=True):
            if source.native_id.startswith(native_id) and (not cwd or source.cwd == cwd):
                yield source

    def recognise(self, path: Path) -> Source | None:
        if not is_regular(path):
            return None
        try:
            head = read_range(path, 0, _HEAD)
            if not form.version_in(head):
                return None
            status = path.stat()
            metadata = _header(path)
        except OSError:
            return None
        return Source(
            NAME,
            text_of(metadata.get("session_id")) or path.stem,
            path,
            status.st_size,
            status.st_mtime_ns,
            cwd=text_of(mapping_of(metadata.get("project_context")).get("root_path")),
            title=text_of(metadata.get("title")),
        )

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        try:
            head = self.bytes_at(source, 0, 1 << 20)
        except OSError as error:
            raise _unreadable() from error
        number = form.version_in(head[:_HEAD])
        if not number:
            raise _unreadable()
        form.check_version(number)
        start = since.stream() if since else Stream("main")
        fold = GenericFold(source, since)
        try:
            if form.is_lines(head):
                yield from cut(_lines(source, start.offset), start, fold)
            else:
                pieces = form.object_pieces(self.bytes_at(source, 0, source.size))
                yield from _cut_object(pieces, start, fold)
        except OSError as error:
            raise _unreadable() from error

    def bytes_at(self, source: Source, offset: int, length: int) -> bytes:
        """Return bytes of the source, which may have no file. Raises OSError."""
        if source.data is not None:
            return source.data[offset : offset + length]
        return read_range(source.path, offset, length)

    def messages(self, session: Session) -> tuple[Message, ...]:
        data = [record.data for record in session.stream().records]
        if not data:
            return ()
        pieces: Iterable[form.Piece]
        if form.is_lines(data[0]):
            pieces = map(form.line_piece, data)
        else:
            pieces = form.object_pieces(b"".join(data))
        return tuple(_messages(pieces))

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.generic.write import write

        return write(session, target, self.home(environment), session.messages)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing: how a user's own agent continues is up to its owner."""
        return ()


def _header(path: Path) -> dict[str, object]:
    """Return the header's metadata, from the first line or from the whole object."""
    with open(path, "rb", opener=regular) as stream:
        first = stream.readline(16 << 20)
        found = parse_line(first).objects
        if not found:
            found = parse_line(first + stream.read()).objects
    return mapping_of(found[0].get(METADATA)) if found else {}


def _lines(source: Source, start: int) -> Iterator[bytes]:
    if source.data is None:
        yield from lines(source.path, start, source.size)
        return
    data = source.data
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


def _cut_object(pieces: list[form.Piece], position: Stream, fold: GenericFold) -> Iterator[Session]:
    """Do what `turns.cut` does, for a file that is always complete: its end ends the last turn."""
    turn = OpenTurn(position.count, position.offset, position.offset)
    at = 0
    for piece in pieces:
        at += len(piece.data)
        if at <= position.offset:
            continue
        if turn.asked and fold.asks(piece):
            yield fold.close(turn, turn.turn(finished=True, ended=False))
            turn = OpenTurn(turn.first + len(turn.records), turn.end, turn.end)
        turn.add(piece.data)
        if fold.take(piece, turn):
            yield fold.close(turn, turn.turn(finished=True, ended=True))
            turn = OpenTurn(turn.first + len(turn.records), turn.end, turn.end)
    if turn.records:
        yield fold.close(turn, turn.turn(finished=False, ended=False))


def _messages(pieces: Iterable[form.Piece]) -> Iterator[Message]:
    """Yield messages; results that came in records of their own are moved to their calls."""
    from dataclasses import replace

    found: list[Message] = []
    for index, piece in enumerate(pieces):
        for values in piece.values:
            if values.get("role") == "tool":
                call_id = text_of(values.get("tool_call_id"))
                error = values.get("error") is True
                result = form.result_of(call_id, values.get("content"), error=error)
                for at in range(len(found) - 1, -1, -1):
                    if _calls(found[at], call_id):
                        found[at] = replace(found[at], parts=_answered(found[at], result))
                        break
            elif "role" in values:
                found.append(form.message_of(values, index))
    yield from found


def _answered(message: Message, result: Part) -> tuple[Part, ...]:
    """Return the parts with a result right after its call."""
    parts = list(message.parts)
    at = max(
        index
        for index, part in enumerate(parts)
        if part.kind == "tool_call" and part.call_id == result.call_id
    )
    return (*parts[: at + 1], result, *parts[at + 1 :])


def _calls(message: Message, call_id: str) -> bool:
    def makes(part: Part) -> bool:
        return part.kind == "tool_call" and part.call_id == call_id

    return any(map(makes, message.parts))


def _unreadable() -> SourceUnreadable:
    return SourceUnreadable(
        "the file holds no session of the generic form, or it cannot be read",
        hint='its first member must be "format": "gitsession-generic 1"',
    )


AGENT = Generic()
