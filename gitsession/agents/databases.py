"""Reads an agent's SQLite database while the agent runs: read-only, with its write-ahead log.

Only the tables that the adapter names can be read at all; the connection refuses every other one,
so that credentials which stand in the same file are never touched.
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
"""Bytes of one row: a damaged file may claim any number, which would be taken from memory."""
Row = dict[str, Any]


def is_database(path: Path) -> bool:
    """Whether the file begins as such a database does; raises OSError."""
    return read_range(path, 0, len(MAGIC)) == MAGIC


@contextmanager
def opened(path: Path, tables: Iterable[str]) -> Iterator[sqlite3.Connection]:
    """One consistent view of the database for the length of the block. Raises OSError.

    A writer is not held up: with a write-ahead log readers see the moment at which they began.
    Without one nobody has the file open, and it is read as it lies there, leaving no side file.
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
        # It cannot quote or look for damaged names; another version's table lacks a column.
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
    """The columns of a table that was allowed; `table` is a name of ours, never of the file."""
    found = connection.execute(f"SELECT * FROM {table} LIMIT 0")  # noqa: S608
    return {column[0] for column in found.description}


def rows_of(connection: sqlite3.Connection, query: str, *values: object) -> Iterator[Row]:
    for row in connection.execute(query, values):
        yield {key: row[key] for key in row.keys()}  # noqa: SIM118 - a Row is no dict


def values_of(table: str, row: Row, documents: Iterable[str] = ()) -> Row:
    """A row as a JSON object. A column of `documents` holds JSON: it stands there as the value it
    is, where that gives the same text back, else as text. Bytes stand as `{"base64": …}`."""
    values: Row = {"table": table}
    for key, value in row.items():
        values[key] = _document(value) if key in documents else _plain(value)
    return values


def line_of(table: str, row: Row, documents: Iterable[str] = (), **more: object) -> bytes:
    """`values_of` with members added, as one line."""
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
