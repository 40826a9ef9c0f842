"""Reads an agent's SQLite database while the agent runs: read-only, with its write-ahead log.

Only the tables that the adapter names can be read at all. The connection refuses all others, so
that credentials in the same file are never touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsession.agents.lenient import compact
from gitsession.files import read_range

if TYPE_CHECKING:
    import sqlite3

MAGIC = b"SQLite format 3\0"
LARGEST = 256 << 20
"""Bytes per row: a damaged file may claim any size, and SQLite would allocate it."""
Row = dict[str, Any]


def is_database(path: Path) -> bool:
    """Whether the file begins as a SQLite database does; raises OSError."""
    return read_range(path, 0, len(MAGIC)) == MAGIC


@contextmanager
def opened(path: Path, tables: Iterable[str]) -> Iterator[sqlite3.Connection]:
    """Open one consistent view of the database for the duration of the block. Raises OSError.

    A writer is not blocked: with a write-ahead log, readers see the database as of the moment they
    began. Without one nobody has the file open; it is then read as it is, leaving no side file.
    """
    import sqlite3

    log = Path(f"{path}-wal")
    with_log = log.exists() and log.stat().st_size > 0
    from urllib.parse import quote

    options = "mode=ro" if with_log else "mode=ro&immutable=1"
    address = f"file:{quote(os.path.abspath(path))}?{options}"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=5, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
            connection.set_authorizer(_only({*tables, "sqlite_master"}))
            connection.execute("BEGIN")
            yield connection
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeError, KeyError, MemoryError) as error:
        # sqlite3 cannot quote or search damaged names; another version's table lacks a column.
        raise OSError("the database cannot be read") from error


def _only(tables: set[str]) -> Any:
    import sqlite3

    harmless = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_FUNCTION,
                sqlite3.SQLITE_RECURSIVE)  # fmt: skip

    def authorise(action: int, first: str, *_: object) -> int:
        if action in harmless or (action == sqlite3.SQLITE_READ and first in tables):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return authorise


def tables_in(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {row["name"] for row in rows}


def columns_in(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of an allowed table; `table` is a name of ours, never from the file."""
    found = connection.execute(f"SELECT * FROM {table} LIMIT 0")  # noqa: S608
    return {column[0] for column in found.description}


def rows_of(connection: sqlite3.Connection, query: str, *values: object) -> Iterator[Row]:
    for row in connection.execute(query, values):
        yield {key: row[key] for key in row.keys()}  # noqa: SIM118 - a Row is no dict


def values_of(table: str, row: Row, documents: Iterable[str] = ()) -> Row:
    """Return a row as a JSON object.

    A column in `documents` holds JSON: it becomes the parsed value if that serialises to the same
    text, else it stays text. Bytes become `{"base64": …}`.
    """
    values: Row = {"table": table}
    for key, value in row.items():
        values[key] = _document(value) if key in documents else _plain(value)
    return values


def line_of(table: str, row: Row, documents: Iterable[str] = (), **more: object) -> bytes:
    """Return `values_of` with members added, as one line."""
    values = {**values_of(table, row, documents), **more}
    return compact(values).encode("utf-8", "replace") + b"\n"


def _document(value: object) -> object:
    import json

    if not isinstance(value, str):
        return _plain(value)
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    structured = isinstance(parsed, (dict, list))
    return parsed if structured and compact(parsed) == value else value


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        import base64

        return {"base64": base64.b64encode(value).decode("ascii")}
    return value
