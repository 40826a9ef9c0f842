"""The adapter for Crush: a database in the project, with every version of the files it touched."""

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
from gitsession.agents.lenient import compact, list_of, mapping_of, parse_line, text_of
from gitsession.agents.reading import RowsAgent, Values
from gitsession.agents.times import utc_time
from gitsession.agents.work import Call
from gitsession.environment import Environment
from gitsession.model.message import Part

NAME = "crush"
TABLES = ("sessions", "messages", "files")
_DOCUMENTS = ("parts", "todos")
_TOOLS = {"view": "look", "write": "write", "edit": "edit", "bash": "bash"}
_KEPT = ("table", "id", "parent_session_id", "created_at")
"""The columns of a session's row that do not change with each turn."""


class Crush(RowsAgent):
    """See `agents.base.Agent`. Sessions are in the project itself, so they are found from there."""

    name = NAME
    title = "Crush"
    constants = ("session_id",)

    def home(self, environment: Environment) -> Path:
        return Path(environment.cwd) / ".crush"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:
        return (Path(cwd or environment.cwd) / ".crush" / "crush.db",)

    def look(self, path: Path) -> Iterator[Source]:
        if not is_database(path):
            return
        status = path.stat()
        cwd = str(path.absolute().parent.parent) if path.parent.name == ".crush" else ""
        with opened(path, TABLES) as connection:
            known = set(TABLES) <= tables_in(connection)
            if not known or "parts" not in columns_in(connection, "messages"):
                return
            for row in rows_of(connection, "SELECT * FROM sessions ORDER BY id"):
                place = (path, status.st_size, status.st_mtime_ns)
                yield Source(NAME, text_of(row["id"]), *place, cwd, text_of(row.get("title")))

    def rows(self, source: Source) -> Iterator[bytes]:
        """Yield the session, then messages and file versions in order of creation."""
        if not is_database(source.path):
            return
        with opened(source.path, TABLES) as connection:
            head = list(rows_of(connection, "SELECT * FROM sessions WHERE id = ?",
                                source.native_id))  # fmt: skip
            for row in head:
                yield line_of("sessions", row, _DOCUMENTS, cwd=source.cwd)
            found = [
                (_moment(row.get("created_at")), number, table, row)
                for number, table in enumerate(("files", "messages"))
                for row in rows_of(connection, f"SELECT * FROM {table} WHERE session_id = ?"  # noqa: S608
                                   " ORDER BY created_at, rowid", source.native_id)
            ]  # fmt: skip
        for _, _, table, row in sorted(found, key=lambda one: one[0]):
            yield line_of(table, row, _DOCUMENTS)

    def parse(self, data: bytes) -> Seen:
        parsed = parse_line(data)
        entries = []
        for row in parsed.objects:
            make = {"sessions": _session, "messages": _message, "files": _file}
            if text_of(row.get("table")) in make:
                entries.append(make[row["table"]](row))
        return Seen(tuple(entries), parsed.damaged, bool(entries))

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`."""
        for row in parse_line(data).objects:
            if row.get("table") == "sessions":
                return compact({key: row[key] for key in _KEPT if key in row}).encode()
        return data

    def tool(self, part: Part) -> Call:
        """Treat writes and edits as partial reads: contents come from the table `files`."""
        given = mapping_of(part.input)
        name = _TOOLS.get(part.name, part.name)
        if name in ("look", "write", "edit"):
            return Call("read", {"path": given.get("file_path"), "limit": 1})
        return Call(name, given)


def _session(row: Values) -> Entry:
    todos = [
        {"content": todo.get("content"), "status": todo.get("status")}
        for todo in map(mapping_of, list_of(json_or_text(row.get("todos"))))
    ]
    facts: dict[str, object] = {
        "session": row.get("id"),
        "title": row.get("title"),
        "cwd": row.get("cwd"),
        "parent": row.get("parent_session_id"),
        "time": utc_time(row.get("created_at")),
    }
    if todos:
        facts["todos"] = todos
    return Entry(facts=facts)


def _file(row: Values) -> Entry:
    """Return one version of a file as an entry with its whole text."""
    facts = {"contents": {text_of(row.get("path")): row.get("content")}}
    return Entry(time=utc_time(row.get("created_at")), facts=facts)


def _message(row: Values) -> Entry:
    parts: list[Part] = []
    finish = ""
    for item in map(mapping_of, list_of(json_or_text(row.get("parts")))):
        data = mapping_of(item.get("data"))
        if item.get("type") == "finish":
            finish = text_of(data.get("reason"))
        else:
            parts.append(_part(text_of(item.get("type")), data, item))
    role = text_of(row.get("role"))
    summary = bool(row.get("is_summary_message"))
    if summary:
        parts = [Part("compaction", p.text) if p.kind == "text" else p for p in parts]
    if role == "tool":
        role = ""
    return Entry(
        role if role in ("user", "assistant", "system", "") else "note",
        tuple(parts),
        utc_time(row.get("created_at")),
        text_of(row.get("model")),
        text_of(row.get("id")),
        end=role == "assistant" and finish in ("end_turn", "stop", "max_tokens"),
        aborted=finish == "canceled",
        compaction=summary,
    )


def _part(kind: str, data: Values, item: Values) -> Part:
    if kind == "text":
        return Part("text", text_of(data.get("text")))
    if kind == "reasoning":
        return Part("reasoning", text_of(data.get("thinking")), native=data)
    if kind == "tool_call":
        given = json_or_text(data.get("input"))
        return Part("tool_call", name=text_of(data.get("name")), call_id=text_of(data.get("id")),
                    input=given)  # fmt: skip
    if kind == "tool_result":
        call_id, failed = text_of(data.get("tool_call_id")), data.get("is_error") is True
        return Part("tool_result", output_text(data.get("content")), call_id=call_id, error=failed)
    if kind in ("binary", "image_url"):
        return Part("image", name=text_of(data.get("path")) or kind, native=item)
    return Part("opaque", name=kind, native=item)


def _moment(value: object) -> float:
    """Return a time from the database, 0 if it is not a number: SQLite columns accept anything."""
    return value if isinstance(value, (int, float)) else 0


AGENT = Crush()
