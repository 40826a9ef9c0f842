"""OpenCode's sessions in its database: a list of them, their rows as lines, their task lists.

Only the tables named here can be read at all; others in the same file contain credentials.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.databases import is_database, line_of, opened, rows_of, tables_in, values_of
from gitsession.agents.lenient import text_of
from gitsession.agents.opencode.form import Values, own_title
from gitsession.agents.opencode_family import owner
from gitsession.model.session import Todo

TABLES = ("session", "message", "part", "todo")
_DOCUMENTS = ("data", "revert", "permission", "model", "summary_diffs", "metadata")


def sessions_in(path: Path, agent: str) -> Iterator[Source]:
    """Yield a database's sessions if the database is that agent's; raises OSError."""
    size = path.stat().st_size
    with opened(path, TABLES) as connection:
        tables = tables_in(connection)
        if not {"session", "message", "part"} <= tables or owner(path.name, tables) != agent:
            return
        query = "SELECT id, directory, title, time_updated FROM session ORDER BY id"
        for row in rows_of(connection, query):
            changed = row["time_updated"] * 1_000_000 if isinstance(row["time_updated"], int) else 0
            yield Source(agent, text_of(row["id"]), path, size, changed, text_of(row["directory"]),
                         own_title(text_of(row["title"])))  # fmt: skip


def lines_of(source: Source) -> Iterator[bytes]:
    """Yield the session's row, then each message's with its parts, by creation time and id."""
    with opened(source.path, TABLES) as connection:
        for row in rows_of(connection, "SELECT * FROM session WHERE id = ?", source.native_id):
            yield line_of("session", row, _DOCUMENTS)
        parts: dict[str, list[Values]] = {}
        for row in rows_of(connection, "SELECT * FROM part WHERE session_id = ? ORDER BY id",
                           source.native_id):  # fmt: skip
            parts.setdefault(row["message_id"], []).append(values_of("part", row, _DOCUMENTS))
        for row in rows_of(connection, "SELECT * FROM message WHERE session_id = ?"
                           " ORDER BY time_created, id", source.native_id):  # fmt: skip
            yield line_of("message", row, _DOCUMENTS, parts=parts.pop(row["id"], []))


def todos_of(source: Source) -> tuple[Todo, ...]:
    try:
        if not is_database(source.path):
            return ()
        with opened(source.path, TABLES) as connection:
            if "todo" not in tables_in(connection):
                return ()
            rows = rows_of(connection, "SELECT content, status FROM todo WHERE session_id = ?"
                           " ORDER BY position", source.native_id)  # fmt: skip
            return tuple(Todo(text_of(r["content"]), text_of(r["status"])) for r in rows)
    except OSError:
        return ()


def children_in(path: Path) -> Iterator[str]:
    """Yield the ids of sessions that another one began; raises OSError."""
    with opened(path, TABLES) as connection:
        query = "SELECT id FROM session WHERE parent_id IS NOT NULL"
        yield from (text_of(row["id"]) for row in rows_of(connection, query))
