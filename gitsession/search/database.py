"""The file of an index: created if it is missing, recreated if another release made it."""

from __future__ import annotations

import os
import sqlite3

from gitsession.digests import blake2b
from gitsession.files import forget, make_private, read

FORMAT = 2
"""To be increased with every change to the tables or to what is put into them."""
_PATIENCE = 600.0
"""The seconds to wait for another process."""
_OLDEST = (3, 35, 0)
_BESIDE = ("", "-wal", "-shm", "-journal")
_TABLES = """
CREATE TABLE stamp (text TEXT NOT NULL);
CREATE TABLE session (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE point (
    session INTEGER NOT NULL, version TEXT NOT NULL, place INTEGER NOT NULL, own INTEGER NOT NULL,
    cuts TEXT NOT NULL, members BLOB NOT NULL, PRIMARY KEY (session, version)
) WITHOUT ROWID;
CREATE TABLE message (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, digest BLOB NOT NULL,
    number INTEGER NOT NULL, role TEXT NOT NULL, time INTEGER NOT NULL, version BLOB NOT NULL,
    stream TEXT NOT NULL
);
CREATE INDEX message_of ON message (session);
CREATE TABLE doc (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, text BLOB NOT NULL);
CREATE TABLE part (
    doc INTEGER NOT NULL, message INTEGER NOT NULL, tool TEXT NOT NULL, said INTEGER NOT NULL,
    PRIMARY KEY (doc, message, said, tool)
) WITHOUT ROWID;
CREATE INDEX part_of ON part (message);
"""
_FULL_TEXT = """
CREATE VIRTUAL TABLE stems USING fts5 (
    x, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE grams USING fts5 (
    x, content='', detail=none, tokenize='trigram case_sensitive 1');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (stems, 'row');
CREATE VIRTUAL TABLE standing USING fts5vocab (stems, 'instance');
"""
MEMORY = ":memory:"


def has_full_text() -> bool:
    """Whether this Python's SQLite supports the fast lookup: FTS5 with its trigram tokenizer."""
    if sqlite3.sqlite_version_info < _OLDEST:
        return False
    connection = sqlite3.connect(MEMORY)
    try:
        connection.executescript(_FULL_TEXT)
    except sqlite3.Error:
        return False
    finally:
        connection.close()
    return True


def opened(path: str, stamp: str, *, full: bool) -> sqlite3.Connection:
    """Return a connection to the index at a path, or to one in memory. An index with another stamp
    or none is recreated. Raises sqlite3.Error and OSError."""
    stamp = f"{FORMAT} {stamp} {full}"
    connection = _connected(path)
    try:
        if _stamp(connection) == stamp:
            return connection
    except sqlite3.Error:
        connection.close()
        raise
    connection.close()
    delete(path)
    connection = _connected(path)
    connection.executescript("BEGIN;" + _TABLES + (_FULL_TEXT if full else ""))
    connection.execute("INSERT INTO stamp VALUES (?)", (stamp,))
    connection.execute("COMMIT")
    return connection


def path_in(folder: str, store: str) -> str:
    """Return the path of a store's index in a folder of indexes."""
    return os.path.join(folder, blake2b(os.fsencode(store), digest_size=16).hexdigest() + ".db")


def lock_of(path: str) -> str:
    """Return the path of an index's lock file, which also contains the path of its store."""
    return path.removesuffix(".db") + ".lock"


def name_store(path: str, store: str) -> None:
    """Write the store's path into the lock file, if it is empty. The caller holds the lock."""
    with open(lock_of(path), "r+b") as stream:
        if not stream.read(1):
            stream.write(os.fsencode(store))


def sweep(folder: str) -> None:
    """Delete the indexes of stores that no longer exist."""
    try:
        locks = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".lock")]
        for lock in locks:
            store = read(lock)
            if store and not os.path.isdir(store):
                delete(lock.removesuffix(".lock") + ".db")
                forget(lock)
    except OSError:
        return


def delete(path: str) -> None:
    """Delete an index and the files that SQLite keeps next to it."""
    if path != MEMORY:
        for ending in _BESIDE:
            forget(path + ending)


def _connected(path: str) -> sqlite3.Connection:
    if path != MEMORY:
        make_private(os.path.dirname(path))
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite does not follow our umask
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint=8192")
    connection.execute("PRAGMA temp_store=MEMORY")
    connection.execute("PRAGMA cache_size=-65536")
    return connection


def _stamp(connection: sqlite3.Connection) -> str:
    """Return the file's stamp, "" for an empty file."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE name = 'stamp'").fetchone()
    row = connection.execute("SELECT text FROM stamp").fetchone() if found else None
    return str(row[0]) if row else ""
