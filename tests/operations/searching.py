"""What the tests of search share."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from gitsession.environment import Environment
from gitsession.model.search import Hit
from gitsession.operations.searching import search_index
from gitsession.repository import Repository
from gitsession.search.index import text_from
from tests.acceptance.conftest import every_byte


def found(repository: Repository, *texts: str, **how: object) -> list[Hit]:
    """The hits by time; each one is where it says that it is."""
    hits = repository.search(*texts, limit=0, **how).hits  # type: ignore[arg-type]
    for hit in hits:
        if hit.message:
            message = repository.message(hit.version, hit.message)
            line = hit.text.strip("…")
            assert any(line in text for text in everything_in(message)), hit
    return sorted(hits, key=lambda hit: (hit.time, hit.message))


def everything_in(message: object) -> list[str]:
    from gitsession.operations.searching.search_texts import entry

    return [text.text for text in entry(message, 1).texts]  # type: ignore[arg-type]


def index_file(repository: Repository) -> Path:
    return Path(search_index.path_of(repository._workspace))


def cache(environment: Environment) -> bytes:
    """Every byte of the cache folder in lower case, texts of the indexes laid open."""
    pieces = [every_byte(environment.cache_dir)]
    for path in environment.cache_dir.rglob("*.db"):
        connection = sqlite3.connect(path)
        pieces += [
            text_from(data).encode() for (data,) in connection.execute("SELECT text FROM doc")
        ]
        connection.close()
    return b"\n".join(pieces).lower()


def texts_of(repository: Repository) -> bytes:
    """The texts of the index, and nothing that was one."""
    connection = sqlite3.connect(index_file(repository))
    found = [text_from(data).encode() for (data,) in connection.execute("SELECT text FROM doc")]
    connection.close()
    return b"\n".join(found)
