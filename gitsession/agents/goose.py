"""The adapter for Goose: sessions and messages in one database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.databases import (
    columns_in,
    is_database,
    line_of,
    opened,
    rows_of,
    tables_in,
)
from gitsession.agents.entries import Entry, Seen, json_or_text, output_text
from gitsession.agents.lenient import compact, list_of, mapping_of, number_of, parse_line, text_of
from gitsession.agents.reading import RowsAgent, Values
from gitsession.agents.times import utc_time
from gitsession.agents.work import Call
from gitsession.environment import Environment
from gitsession.model.message import Part, Usage

NAME = "goose"
TABLES = ("sessions", "messages")
_DOCUMENTS = ("content_json", "metadata_json", "extension_data", "model_config_json", "tokens")
_TOOLS = {"developer__shell": "bash", "shell": "bash"}
_KEPT = ("table", "id", "working_dir", "created_at", "session_type", "parent_session_id")
"""The columns of a session's row that do not change with each turn."""


class Goose(RowsAgent):
    """See `agents.base.Agent`."""

    name = NAME
    title = "Goose"
    constants = ("session_id",)

    def home(self, environment: Environment) -> Path:
        base = environment.get("XDG_DATA_HOME")
        top = Path(base) if base.startswith("/") else environment.home / ".local/share"
        return top / "goose" / "sessions"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        return (self.home(environment) / "sessions.db",)

    def look(self, path: Path) -> Iterator[Source]:
        if not is_database(path):
            return
        status = path.stat()
        with opened(path, TABLES) as connection:
            known = set(TABLES) <= tables_in(connection)
            if not known or "content_json" not in columns_in(connection, "messages"):
                return
            for row in rows_of(connection, "SELECT * FROM sessions ORDER BY id"):
                yield Source(
                    NAME,
                    text_of(row["id"]),
                    path,
                    status.st_size,
                    status.st_mtime_ns,
                    text_of(row.get("working_dir")),
                    _title(row),
                )

    def rows(self, source: Source) -> Iterator[bytes]:
        if not is_database(source.path):
            return
        with opened(source.path, TABLES) as connection:
            for row in rows_of(connection, "SELECT * FROM sessions WHERE id = ?", source.native_id):
                yield line_of("sessions", row, _DOCUMENTS)
            for row in rows_of(connection, "SELECT * FROM messages WHERE session_id = ?"
                               " ORDER BY id", source.native_id):  # fmt: skip
                yield line_of("messages", row, _DOCUMENTS)

    def parse(self, data: bytes) -> Seen:
        parsed = parse_line(data)
        entries = []
        for row in parsed.objects:
            if row.get("table") == "sessions":
                entries.append(_session(row))
            elif row.get("table") == "messages":
                entries.append(_message(row))
        return Seen(tuple(entries), parsed.damaged, bool(entries))

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`."""
        for row in parse_line(data).objects:
            if row.get("table") == "sessions":
                return compact({key: row[key] for key in _KEPT if key in row}).encode()
        return data

    def tool(self, part: Part) -> Call:
        return Call(_TOOLS.get(part.name, part.name), mapping_of(part.input))


def _title(row: Values) -> str:
    return text_of(row.get("description")) or text_of(row.get("name"))


def _session(row: Values) -> Entry:
    facts = {
        "session": row.get("id"),
        "title": _title(row),
        "cwd": row.get("working_dir"),
        "parent": row.get("parent_session_id"),
        "time": utc_time(row.get("created_at")),
    }
    model = text_of(mapping_of(json_or_text(row.get("model_config_json"))).get("model_name"))
    return Entry(facts=facts, model=model)


def _message(row: Values) -> Entry:
    parts = [
        part
        for item in list_of(json_or_text(row.get("content_json")))
        for part in _parts(mapping_of(item))
    ]
    role = text_of(row.get("role"))
    only_results = bool(parts) and all(part.kind == "tool_result" for part in parts)
    if role == "tool" or only_results:
        role = ""
    tokens = mapping_of(json_or_text(row.get("tokens")))
    usage = Usage(number_of(tokens.get("input")), number_of(tokens.get("output")))
    calls = any(part.kind == "tool_call" for part in parts)
    return Entry(
        role if role in ("user", "assistant", "system", "") else "note",
        tuple(parts),
        utc_time(row.get("timestamp")) or utc_time(row.get("created_timestamp")),
        text_of(mapping_of(json_or_text(row.get("metadata_json"))).get("model")),
        text_of(row.get("message_id")),
        usage if usage.total else None,
        end=role == "assistant" and not calls,
    )


def _parts(item: Values) -> Iterator[Part]:
    kind = text_of(item.get("type"))
    if kind == "text":
        yield Part("text", text_of(item.get("text")))
    elif kind in ("thinking", "reasoning"):
        yield Part("reasoning", text_of(item.get("thinking")) or text_of(item.get("text")),
                   native=item)  # fmt: skip
    elif kind == "toolRequest":
        call = mapping_of(item.get("toolCall"))
        call = mapping_of(call.get("value")) or call  # newer versions wrap it in a parse result
        name, call_id = (
            text_of(call.get("name")),
            text_of(item.get("id")) or text_of(call.get("id")),
        )
        yield Part("tool_call", name=name, call_id=call_id, input=call.get("arguments"))
    elif kind == "toolResponse":
        given = mapping_of(item.get("toolResult"))
        failed = given.get("status") == "error" or given.get("isError") is True
        value = given.get("value", given)
        content = mapping_of(value).get("content", value)
        text = text_of(given.get("error")) or output_text(content)
        call_id = text_of(item.get("id")) or text_of(item.get("toolCallId"))
        yield Part("tool_result", text, call_id=call_id, error=failed)
    elif kind == "image":
        yield Part("image", name=text_of(item.get("mimeType")), native=item)
    else:
        yield Part("opaque", name=kind, native=item)


AGENT = Goose()
