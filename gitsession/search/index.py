"""Put sessions into an index: each distinct text once, whoever says it; messages by session."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from gitsession.digests import blake2b
from gitsession.search import texts
from gitsession.search.entries import Entry, Point, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    Versions = Callable[[Sequence[int]], Sequence[tuple[str, int]]]

_DIGEST = 16


class Index:
    """A search index over an open connection to the file at `path`. `full` says that it has FTS5's
    tables."""

    def __init__(self, connection: sqlite3.Connection, *, full: bool, path: str = "") -> None:
        self.connection = connection
        self.full = full
        self.path = path

    def close(self) -> None:
        self.connection.close()

    def points(self, session: str = "") -> dict[str, dict[str, tuple[str, ...]]]:
        """Return session (`session` only, or all) → version that was read → its cuts."""
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        rows = self.connection.execute(
            "SELECT name, version, cuts FROM session LEFT JOIN point ON point.session = session.id"
            " WHERE :session IN ('', name)",
            {"session": session},
        )
        for name, version, cuts in rows:
            known = found.setdefault(name, {})
            if version is not None:
                known[version] = tuple(cuts.split())
        return found

    def tools(self) -> list[str]:
        """Return the names of the tools called in the indexed messages."""
        rows = self.connection.execute("SELECT DISTINCT tool FROM part WHERE NOT said ORDER BY 1")
        return [name for (name,) in rows if name]

    def drop(self, sessions: Iterable[str]) -> None:
        """Remove sessions, and the texts that occur nowhere else."""
        for name in sessions:
            with self.filling(name) as session:
                session.start_anew()
                self.connection.execute("DELETE FROM session WHERE id = ?", (session.id,))

    @contextmanager
    def filling(self, name: str) -> Iterator[Filling]:
        """Fill one session in a transaction: everything or nothing is stored."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield Filling(self, name)
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")


class Filling:
    """A session while its versions are read, oldest first, so that each message is attributed to
    the oldest version that contains it."""

    def __init__(self, index: Index, name: str) -> None:
        self._run = index.connection.execute
        self._full = index.full
        self._run("INSERT OR IGNORE INTO session (name) VALUES (?)", (name,))
        self.id: int = self._run("SELECT id FROM session WHERE name = ?", (name,)).fetchone()[0]
        rows = self._run("SELECT digest, id FROM message WHERE session = ?", (self.id,))
        self._messages: dict[bytes, int] = dict(rows.fetchall())

    def start_anew(self) -> None:
        """Remove everything known about the session."""
        self._run("DELETE FROM point WHERE session = ?", (self.id,))
        self._forget(self._messages.values())
        self._messages = {}

    def add(self, point: Point, entries: Iterable[Entry], versions: Versions) -> None:
        """Add the messages of a version. Given the positions, among the entries, of messages that
        are not known yet, `versions` returns for each the version to attribute it to and that
        version's time."""
        members = array("q")
        fresh: list[tuple[int, bytes, Entry]] = []
        seen: dict[bytes, int] = {}
        for place, entry in enumerate(entries):
            plain = _digest(entry)
            seen[plain] = seen.get(plain, 0) + 1
            digest = plain + seen[plain].to_bytes(4, "big")
            known = self._messages.get(digest)
            if known is None:
                fresh.append((place, digest, entry))
            members.append(known or 0)
        told = versions([place for place, _, _ in fresh]) if fresh else ()
        for (place, digest, entry), (version, time) in zip(fresh, told, strict=True):
            dated = entry._replace(time=entry.time or time)
            members[place] = self._messages[digest] = self._message(dated, digest, version)
        self._run(
            "INSERT OR REPLACE INTO point VALUES (?, ?, 0, ?, ?, ?)",
            (self.id, point.commit, point.own, " ".join(point.cuts), members.tobytes()),
        )

    def keep(self, commits: Sequence[str]) -> None:
        """Keep only these versions, ranked in this order."""
        alive: set[int] = set()
        rows = self._run("SELECT version, members FROM point WHERE session = ?", (self.id,))
        for version, members in rows.fetchall():
            if version in commits:
                alive.update(array("q", members))
                place = commits.index(version)
                self._run(
                    "UPDATE point SET place = ? WHERE session = ? AND version = ?",
                    (place, self.id, version),
                )
            else:
                self._run("DELETE FROM point WHERE session = ? AND version = ?", (self.id, version))
        self._forget(known for known in self._messages.values() if known not in alive)

    def _message(self, entry: Entry, digest: bytes, version: str) -> int:
        row = (self.id, digest, entry.number, entry.role, entry.time, bytes.fromhex(version),
               entry.stream)  # fmt: skip
        added = self._run(
            "INSERT INTO message (session, digest, number, role, time, version, stream)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        message = int(added.lastrowid or 0)
        for text in entry.texts:
            for piece in texts.pieces(text.text):
                self._run(
                    "INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?)",
                    (self._doc(piece), message, text.tool or "", text.tool is None),
                )
        return message

    def _doc(self, text: str) -> int:
        """Return the id of a searchable text, which the index holds once, whoever says it."""
        data = text.encode("utf-8")
        digest = blake2b(data, digest_size=_DIGEST).digest()
        known = self._run("SELECT id FROM doc WHERE digest = ?", (digest,)).fetchone()
        if known is not None:
            return int(known[0])
        added = self._run(
            "INSERT INTO doc (digest, text) VALUES (?, ?)", (digest, zlib.compress(data, 6))
        )
        doc = int(added.lastrowid or 0)
        if self._full:
            for table, shown in _views(text):
                self._run(f"INSERT INTO {table} (rowid, x) VALUES (?, ?)", (doc, shown))  # noqa: S608
        return doc

    def _forget(self, messages: Iterable[int]) -> None:
        """Remove messages, and from the index the texts that only they contained."""
        for message in messages:
            docs = self._run("SELECT doc FROM part WHERE message = ?", (message,)).fetchall()
            self._run("DELETE FROM part WHERE message = ?", (message,))
            self._run("DELETE FROM message WHERE id = ?", (message,))
            for (doc,) in docs:
                if not self._run("SELECT 1 FROM part WHERE doc = ? LIMIT 1", (doc,)).fetchone():
                    self._forget_doc(doc)

    def _forget_doc(self, doc: int) -> None:
        row = self._run("SELECT text FROM doc WHERE id = ?", (doc,)).fetchone()
        if row is None:
            return
        self._run("DELETE FROM doc WHERE id = ?", (doc,))
        if self._full:
            for table, shown in _views(text_from(row[0])):
                self._run(
                    f"INSERT INTO {table} ({table}, rowid, x) VALUES ('delete', ?, ?)",  # noqa: S608
                    (doc, shown),
                )


def text_from(data: bytes) -> str:
    """Decompress a stored text."""
    return zlib.decompress(data).decode("utf-8")


def _views(text: str) -> Iterator[tuple[str, str]]:
    yield "stems", texts.spaced(text)
    yield "grams", texts.folded(text)


def _digest(entry: Entry) -> bytes:
    """Return the digest that identifies a message in whatever version it occurs."""
    found = blake2b(f"{entry.role}\0{entry.time}\0{entry.stream}".encode(), digest_size=_DIGEST)
    for text in entry.texts:
        found.update(b"\0" + _tool(text).encode("utf-8", "replace"))
        found.update(len(text.text).to_bytes(8, "big"))
        for start in range(0, len(text.text), texts.PIECE):
            found.update(text.text[start : start + texts.PIECE].encode("utf-8"))
    return found.digest()


def _tool(text: Text) -> str:
    return "" if text.tool is None else f"tool {text.tool}"
