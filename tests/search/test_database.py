from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from gitsession.search import database


def test_private_to_its_user(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "search"
    path = database.path_in(str(folder), "/store")
    umask = os.umask(0)
    try:
        connection = database.opened(path, "a", full=False)
        connection.execute("INSERT INTO session (name) VALUES ('s')")
        modes = {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}
    finally:
        os.umask(umask)
    connection.close()
    assert modes == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_another_stamp_is_made_anew(tmp_path: Path) -> None:
    path = str(tmp_path / "i.db")
    connection = database.opened(path, "a", full=False)
    connection.execute("INSERT INTO session (name) VALUES ('s')")
    connection.close()
    for stamp, left in (("a", 1), ("b", 0)):
        connection = database.opened(path, stamp, full=False)
        assert connection.execute("SELECT COUNT(*) FROM session").fetchone() == (left,)
        connection.close()


def test_what_is_no_database_is_an_error_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        database.opened(str(path), "a", full=False)


def test_sweep_deletes_the_indexes_of_stores_that_are_gone(tmp_path: Path) -> None:
    here, gone = tmp_path / "here", tmp_path / "gone"
    here.mkdir()
    paths = {}
    for store in (here, gone):
        path = database.path_in(str(tmp_path), str(store))
        Path(database.lock_of(path)).touch()
        database.name_store(path, str(store))
        database.name_store(path, "another")
        Path(path).touch()
        paths[store] = Path(path)
    database.sweep(str(tmp_path))
    assert paths[here].exists() and not paths[gone].exists()
    assert len(list(tmp_path.glob("*.lock"))) == 1
