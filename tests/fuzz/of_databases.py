"""Agents that keep sessions in SQLite: files that are damaged, and sound files with odd rows."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from gitsession.agents import registry
from tests.fuzz.of_agents import cases, placed, read_place
from tests.fuzz.reader import Reader

PLACES = {
    "opencode": "home/.local/share/opencode/opencode.db",
    "kilo": "home/.local/share/kilo/kilo.db",
    "goose": "home/.local/share/goose/sessions/sessions.db",
    "crush": "project/.crush/crush.db",
}
_MOST_ROWS = 200


def readers() -> Iterator[Reader]:
    for name in PLACES:
        yield Reader(f"rows-{name}", "json", partial(read_rows, name), partial(row_seeds, name))
        yield Reader(
            f"database-{name}", "bytes", partial(read_database, name), partial(seeds, name)
        )


def read_database(name: str, data: bytes, folder: Path) -> None:
    """The file as it lies there, whatever is in it."""
    path = folder / PLACES[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    read_place(registry.get(name), path, folder)


def read_rows(name: str, data: bytes, folder: Path) -> None:
    """`data` is JSON: {table: [columns, row, …]}; what is no such thing is no input."""
    try:
        tables = json.loads(data)
    except (ValueError, RecursionError):
        return
    path = folder / PLACES[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(tables, dict) and filled(path, tables):
        read_place(registry.get(name), path, folder)


def filled(path: Path, tables: dict[str, Any]) -> bool:
    """A database of these tables; False where SQLite itself will not have them."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        for table, (columns, *rows) in tables.items():
            names = ", ".join(quoted(column) for column in columns)
            connection.execute(f"CREATE TABLE {quoted(table)} ({names})")
            marks = ",".join("?" * len(columns))
            for row in rows[:_MOST_ROWS]:
                values = [stored(value) for value in row]
                connection.execute(f"INSERT INTO {quoted(table)} VALUES ({marks})", values)
        connection.execute("COMMIT")
    except (sqlite3.Error, ValueError, TypeError, AttributeError, OverflowError):
        return False
    finally:
        connection.close()
    return True


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def stored(value: object) -> object:
    """A JSON value as a column can hold it: documents as text, {"blob": text} as bytes."""
    if isinstance(value, dict) and list(value) == ["blob"]:
        return str(value["blob"]).encode("utf-8", "surrogatepass")
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return value


def database_cases(name: str) -> Iterator[object]:
    return (case for case in cases(name) if placed(case, 1).startswith(b"SQLite format 3"))


def seeds(name: str) -> Iterable[bytes]:
    for case in database_cases(name):
        yield with_small_pages(placed(case, 1))


def with_small_pages(database: bytes) -> bytes:
    """The same content in fewer bytes, so that a change hits something."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        path.write_bytes(database)
        connection = sqlite3.connect(path, isolation_level=None)
        for command in ("PRAGMA journal_mode=DELETE", "PRAGMA page_size=512", "VACUUM"):
            connection.execute(command)
        connection.close()
        return path.read_bytes()


def row_seeds(name: str) -> Iterable[bytes]:
    for case in database_cases(name):
        for turns in (1, 2):
            yield json.dumps(dumped(placed(case, turns)), separators=(",", ":")).encode()


def dumped(database: bytes) -> dict[str, list[Any]]:
    """The rows of a database; columns that hold JSON as the value, so that it is changed too."""
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        file.write(database)
        file.flush()
        connection = sqlite3.connect(file.name)
        tables: dict[str, list[Any]] = {}
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'"):
            cursor = connection.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in cursor.description]
            tables[table] = [columns, *([opened(value) for value in row] for row in cursor)]
        connection.close()
    return tables


def opened(value: object) -> object:
    if isinstance(value, bytes):
        return {"blob": value.decode("latin-1")}
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
