"""CODESESSv1: a header line (absent in older files), then the session as compressed base64 JSON."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.entries import Entry, Seen
from gitsession.agents.lenient import list_of, mapping_of, text_of, whole_text
from gitsession.agents.reading import EXPORT, Values, WholeAgent
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.errors import FormatError
from gitsession.files import read_range
from gitsession.model.message import Message, Part
from gitsession.model.record import SYSTEM_PROMPT
from gitsession.model.session import Session

NAME = "codesess"
HEADER = b"CODESESSv1\n"
VERSION = "1.0"
_HEADER = re.compile(rb"\s*CODESESSv([0-9]{1,6})\s")
_DOCUMENT = re.compile(rb'\s*\{\s*"version"\s*:\s*"([0-9]{1,6})')
_BASE64 = re.compile(rb"[A-Za-z0-9+/=\s]+")
_LARGEST = 1 << 30
_ROLES = ("user", "assistant", "system")
_OTHER_ROLES = {"model": "assistant", "ai": "assistant", "human": "user", "developer": "system"}


class Codesess(WholeAgent):
    """Its records are those of the JSON inside: packed data could not be scanned for secrets."""

    name = NAME
    title = "CODESESSv1"
    capabilities = EXPORT

    def home(self, environment: Environment) -> Path:
        return environment.home / ".code_sessions"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        try:
            return sorted(self.home(environment).glob("*.session"))
        except OSError:
            return ()

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        head = read_range(path, 0, 64).lstrip()
        if _newer(_HEADER, head):  # `read` refuses it and says why
            yield Source(NAME, path.stem, path, status.st_size, status.st_mtime_ns, "")
            return
        if not (head.startswith((HEADER.strip(), b"{")) or _BASE64.fullmatch(head)):
            return
        values = _values(unpack(read_range(path, 0, status.st_size)))
        if not values:
            return
        native_id = text_of(values.get("session_id")) or path.stem
        cwd = text_of(mapping_of(values.get("context")).get("working_directory"))
        yield Source(NAME, native_id, path, status.st_size, status.st_mtime_ns, cwd)

    def bytes_of(self, source: Source) -> bytes:
        """Return the JSON inside; raises FormatError if its header or document is newer."""
        data = read_range(source.path, 0, source.size)
        plain = unpack(data)
        if form := _newer(_HEADER, data[:64]) or _newer(_DOCUMENT, plain[:256]):
            raise FormatError(
                f"the file is of the form CODESESSv{form}; this release reads v{VERSION[0]}",
                hint="upgrade gitsession; the file was not touched",
            )
        return plain

    def bytes_at(self, source: Source, offset: int, length: int) -> bytes:
        """Return native bytes: those of the JSON inside."""
        return self.bytes_of(source)[offset : offset + length]

    def length_of(self, source: Source) -> int:
        return len(self.bytes_of(source))

    def understand(self, kind: str, value: Values, damaged: bool) -> Seen:
        if kind == "item" and "role" in value:
            return Seen((_message(value),), damaged, True)
        context = mapping_of(value.get("context"))
        facts = {
            "session": value.get("session_id"),
            "cwd": context.get("working_directory"),
            "time": utc_time(value.get("created_at")),
            "file": context.get("active_file"),
            "instruction": context.get("system_instruction"),
        }
        known = kind == "head" and "session_id" in value
        return Seen((Entry(facts=facts, end=kind == "tail"),), damaged, known)


def _newer(told: re.Pattern[bytes], head: bytes) -> str:
    """Return the format version that a header or document states, if it is not ours."""
    found = told.match(head)
    form = found[1].decode("ascii") if found else ""
    return "" if form == VERSION[0] else form


def _message(value: Values) -> Entry:
    role = text_of(value.get("role"))
    role = _OTHER_ROLES.get(role, role if role in _ROLES else "note")
    content = value.get("content")
    text = whole_text(content) if isinstance(content, str) else json.dumps(content)
    files = list_of(value.get("files"))
    names = [name if isinstance(name, str) else text_of(mapping_of(name).get("path"))
             for name in files]  # fmt: skip
    parts = [Part("text", text), *(Part("file", name=name) for name in names if name)]
    return Entry(
        role,
        tuple(parts),
        utc_time(value.get("timestamp")),
        extra={"files": files} if files else {},
    )


def unpack(data: bytes) -> bytes:
    """Return the JSON in such a file, with or without header, packed or plain; b"" if none."""
    body = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if body.startswith(b"{"):
        return data
    body = body.removeprefix(HEADER.strip()).strip()
    if not _BASE64.fullmatch(body):
        return b""
    try:
        engine = zlib.decompressobj()
        plain = engine.decompress(base64.b64decode(body), _LARGEST)
    except (binascii.Error, ValueError, zlib.error):
        return b""
    return plain if engine.eof else b""


def _values(data: bytes) -> Values:
    """Return the document if it is a session of this format, else {}."""
    try:
        values = mapping_of(json.loads(data))
    except (ValueError, RecursionError):
        return {}
    ours = "session_id" in values and isinstance(values.get("messages"), list)
    return values if ours and ("context" in values or "message_count" in values) else {}


def dump(session: Session, messages: Iterable[Message]) -> bytes:
    """Return a session of any agent as a file that the format's own programs can load.

    The format has no place for tool calls and results, so they become text.
    """
    info, state = session.info, session.state
    rows = [_row(message) for message in messages]
    values = {
        "version": VERSION,
        "session_id": info.native_id,
        "created_at": info.created,
        "last_updated": info.updated,
        "message_count": len(rows),
        "messages": rows,
        "context": {
            "working_directory": info.cwd,
            "active_file": state.active_file or None,
            "system_instruction": _instruction(session),
        },
    }
    text = whole_text(json.dumps(values, ensure_ascii=False, indent=2))
    return HEADER + base64.b64encode(zlib.compress(text.encode("utf-8")))


def _instruction(session: Session) -> str | None:
    for file in session.instructions:
        if file.path == SYSTEM_PROMPT and file.content is not None:
            return file.content.decode("utf-8", "replace")
    for message in session.messages:
        if message.role == "system":
            return message.text
    return None


def _row(message: Message) -> Values:
    files = list_of(message.extra.get("files"))
    files = files or [part.name for part in message.parts if part.kind == "file" and part.name]
    return {
        "role": "system" if message.role == "note" else message.role,
        "content": "\n".join(filter(None, map(_told, message.parts))),
        "files": files,
        "timestamp": message.time,
    }


def _told(part: Part) -> str:
    if part.kind == "tool_call":
        told = part.input if isinstance(part.input, str) else json.dumps(part.input, default=str)
        return f"[{part.name}] {told}"
    if part.kind == "tool_result":
        return f"[{'error' if part.error else 'result'}] {part.text}"
    return part.text if part.kind in ("text", "compaction") else ""


AGENT = Codesess()
