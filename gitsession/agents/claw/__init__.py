"""The adapter for Claw Code: sessions as lines, as one JSON document, and in `.port_sessions`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents import whole_json
from gitsession.agents.base import Source
from gitsession.agents.claw import form as form
from gitsession.agents.entries import Entry, Seen
from gitsession.agents.lenient import mapping_of, parse_line, text_of
from gitsession.agents.reading import ReadingAgent, Values, beyond
from gitsession.agents.work import Call
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.files import is_regular, lines, read_range
from gitsession.model.message import Part
from gitsession.model.session import Session

NAME = "claw"
PORT = ".port_sessions"
LINES, DOCUMENT = "lines", "document"
_FOLDERS = (".claw/sessions/*.jsonl", ".claw/sessions/*/*.jsonl", ".claw/sessions/*.json",
            ".claude/sessions/*.json", f"{PORT}/*.json")  # fmt: skip
_ID = re.compile(r"[\w.-]{1,200}")
_HEAD = 1 << 16
_LARGEST = 256 << 20
_TOOLS = {"bash": "bash", "read_file": "read", "write_file": "write", "edit_file": "edit",
          "TodoWrite": "todo_write"}  # fmt: skip


class Claw(ReadingAgent):
    """See `agents.base.Agent`. Sessions are in the project itself, so they are found from there."""

    name = NAME
    title = "Claw Code"

    def home(self, environment: Environment) -> Path:
        return Path(environment.cwd) / ".claw" / "sessions"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:
        top = Path(cwd or environment.cwd)
        try:
            return sorted(path for pattern in _FOLDERS for path in top.glob(pattern))
        except OSError:
            return ()

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        kind, values = _form_of(path, status.st_size)
        found = text_of(values.get("session_id")) or (path.stem if kind == DOCUMENT else "")
        name = found if _is_id(found) else path.stem  # `read` refuses a bad id and says why
        if kind and found and _is_id(name):
            cwd = text_of(values.get("workspace_root")) or _project_of(path)
            yield Source(NAME, name, path, status.st_size, status.st_mtime_ns, cwd)

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        """Also raises SourceUnreadable for an invalid id or a version unknown to this release."""
        try:
            kind, values = _form_of(source.path, source.size)
        except OSError:
            kind, values = "", {}
        _check_id(text_of(values.get("session_id")))
        if kind in (LINES, DOCUMENT):
            _check_version(values)
        yield from super().read(source, since)

    def is_whole(self, source: Source) -> bool:
        return _form_of(source.path, source.size)[0] != LINES

    def pieces(self, source: Source, offset: int) -> tuple[Iterable[bytes], int]:
        kind, _ = _form_of(source.path, source.size)
        if kind == LINES or not kind:
            return lines(source.path, offset, source.size), offset
        return beyond(whole_json.records(read_range(source.path, 0, source.size), "messages"),
                      offset)  # fmt: skip

    def parse(self, data: bytes) -> Seen:
        parsed = parse_line(data)
        if any(value.get("type") in form.KINDS for value in parsed.objects):
            return form.line_seen(*parsed)
        kind, value, damaged = whole_json.piece_of(data)
        if kind == "item" and isinstance(value, str):
            return form.port_seen({"": value}, kind, damaged)
        if not isinstance(value, dict) or damaged or _is_unknown_line(kind, value):
            return Seen((), True)
        if kind == "item":
            if "blocks" in value:
                return Seen((form.message_entry(value),), False, True)
            return form.line_seen(*parsed) if value else Seen()
        if "version" in value:
            return Seen((Entry(facts={"session": value.get("session_id")}),), False, False)
        return form.port_seen(value, kind, damaged)

    def superseded(self, stored: bytes, native: bytes) -> bool:
        """See `base.superseded`."""
        return whole_json.tail_replaced(stored, native)

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`: the first line contains the time of the last change."""
        if b'"session_meta"' not in data[:4096]:
            return data
        return re.sub(rb'("updated_at_ms"\s*:\s*)\d+', rb"\g<1>0", data)

    def tool(self, part: Part) -> Call:
        return Call(_TOOLS.get(part.name, part.name), mapping_of(part.input))


def _is_unknown_line(kind: str, value: Values) -> bool:
    """Whether it is a line of an unknown type, which makes Claw unable to read the session."""
    return kind == "item" and "blocks" not in value and isinstance(value.get("type"), str)


def _form_of(path: Path, size: int) -> tuple[str, Values]:
    """Return which of the three formats a file has ("" for none), and the contents of its head."""
    head = read_range(path, 0, min(_HEAD, size)) if is_regular(path) else b""
    first = parse_line(head.split(b"\n", 1)[0]).objects
    if first and first[0].get("type") == "session_meta":
        return LINES, first[0]
    if not head.lstrip().startswith(b"{") or b'"messages"' not in head or size > _LARGEST:
        return "", {}
    found = whole_json.records(read_range(path, 0, size), "messages")
    values = mapping_of(whole_json.piece_of(next(found, b"")).value)
    items = [whole_json.piece_of(data) for data in found]
    for piece in items:
        if piece.kind == "tail":
            values = {**values, **piece.value}
    item = items[0].value if items else None
    if isinstance(item, dict) and isinstance(item.get("blocks"), list) and "role" in item:
        return DOCUMENT, values
    told = isinstance(item, str) or (items and items[0].kind == "tail" and "input_tokens" in values)
    return (PORT, values) if told and "session_id" in values else ("", {})


def _is_id(text: str) -> bool:
    """Whether the text is an id; one that could lead out of a folder is not."""
    return bool(_ID.fullmatch(text)) and text not in (".", "..")


def _check_id(text: str) -> None:
    if text and not _is_id(text):
        raise SourceUnreadable(
            "the session id in the Claw Code file is refused: it could lead out of a folder",
            hint="letters, digits, dots, dashes and underscores make an id",
        )


def _check_version(values: Values) -> None:
    version = values.get("version")
    if version != form.VERSION or isinstance(version, bool):
        told = f"is {version}" if isinstance(version, int) else "is missing"
        raise SourceUnreadable(
            f"the field version of the Claw Code session {told}; this release reads {form.VERSION}",
            hint="upgrade gitsession; the file was not touched",
        )


def _project_of(path: Path) -> str:
    """Return the project folder that the file's location belongs to, "" elsewhere."""
    for parent in path.absolute().parents:
        if parent.name in (".claw", ".claude", PORT):
            return str(parent.parent)
    return ""


AGENT = Claw()
