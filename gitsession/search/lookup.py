"""Find the messages that contain the words, and the order in which the index ranks them."""

# ruff: noqa: S608 - statements are put together from the names of our own tables alone

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence

from gitsession.search import query, texts
from gitsession.search.index import Index, text_from
from gitsession.search.query import Wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Filters(NamedTuple):
        role: str = ""
        tool: str = ""
        since: int = 0
        until: int = 0
else:
    Filters = namedtuple("Filters", "role tool since until", defaults=("", "", 0, 0))
    Filters.__doc__ = """Restricts a search to a role (`tool`: calls and results), to one tool, and
    to messages not before and not after a time (unix seconds); "" and 0 mean no filter."""

_MOST_GRAMS = 48
"""The most trigrams by which a phrase is looked up; a longer one is then checked against the
text."""


class Lookup:
    """One query to an index, limited to some sessions and by filters. Words are numbered as asked.

    `CROSS JOIN` makes SQLite keep the order of the tables: it has no statistics on temporary ones.
    """

    def __init__(self, index: Index, sessions: Iterable[str], filters: Filters) -> None:
        self._run = index.connection.execute
        self._many = index.connection.executemany
        self._allowed, self._values = _conditions(filters)
        self._count = 0
        self._run("CREATE TEMP TABLE scope (session INTEGER PRIMARY KEY)")
        self._many(
            "INSERT OR IGNORE INTO scope SELECT id FROM session WHERE name = ?",
            ((name,) for name in sessions),
        )

    def look(self, forms: Sequence[Wanted]) -> bool:
        """Find the texts that contain a word in one of several forms; return whether one of them
        passes the filters."""
        table = f"word{self._count}"
        self._run(f"CREATE TEMP TABLE {table} (doc INTEGER PRIMARY KEY)")
        self._count += 1
        for wanted in forms:
            self._gather(wanted, table)
        if self._run(f"SELECT 1 {self._said(table)} LIMIT 1", self._values).fetchone():
            return True
        self._run(f"DROP TABLE {table}")
        self._count -= 1
        return False

    def gather_all(self) -> int:
        """Collect the messages that contain every word; return their number."""
        each = [f"SELECT p.message {self._said(f'word{at}')}" for at in range(self._count)]
        self._run("CREATE TEMP TABLE found (message INTEGER PRIMARY KEY)")
        self._run(
            f"INSERT OR IGNORE INTO found {' INTERSECT '.join(each)}", self._values * self._count
        )
        return int(self._run("SELECT COUNT(*) FROM found").fetchone()[0])

    def sessions(self) -> list[tuple[str]]:
        """Return the names of the sessions with messages found."""
        return self._run(
            "SELECT DISTINCT s.name FROM found JOIN main.message m ON m.id = found.message"
            " JOIN session s ON s.id = m.session"
        ).fetchall()

    def newest(self, most: int) -> list[int]:
        """Return the messages found, newest first."""
        rows = self._run(
            "SELECT id FROM found JOIN main.message ON id = found.message"
            " ORDER BY time DESC, id DESC LIMIT ?",
            (most,),
        )
        return [row[0] for row in rows]

    def of_sessions(self, names: Iterable[str], most: int) -> list[int]:
        """Return the messages found in the named sessions, in that order, each session from its
        beginning."""
        found: list[int] = []
        for name in names:
            rows = self._run(
                "SELECT m.id FROM found JOIN main.message m ON m.id = found.message"
                " JOIN session s ON s.id = m.session WHERE s.name = ? ORDER BY m.id LIMIT ?",
                (name, most),
            )
            found += [row[0] for row in rows]
        return found[:most]

    def best(self, wanted: Sequence[Wanted], most: int) -> list[list[int]]:
        """Return the messages found as the indexes rank them: by rare words, frequent ones, and in
        short texts."""
        stems = [_phrase(one.text) for one in wanted if _has_words(one)]
        parts = [_all_grams(one) for one in wanted if len(texts.folded(one.text)) >= texts.GRAM]
        lists = [self._ranked("stems", " OR ".join(stems), most)] if stems else []
        if parts:
            lists.append(self._ranked("grams", " OR ".join(f"({one})" for one in parts), most))
        return lists

    def _ranked(self, table: str, match: str, most: int) -> list[int]:
        rows = self._run(
            f"WITH ranked AS MATERIALIZED"
            f" (SELECT rowid AS doc, bm25({table}) AS score FROM {table} WHERE {table} MATCH ?)"
            f" SELECT p.message, min(ranked.score) AS score FROM ranked"
            f" CROSS JOIN part p ON p.doc = ranked.doc"
            f" CROSS JOIN found ON found.message = p.message"
            f" CROSS JOIN main.message m ON m.id = p.message WHERE {self._allowed}"
            f" GROUP BY p.message ORDER BY 2, p.message DESC LIMIT ?",
            (match, *self._values, most),
        )
        return [row[0] for row in rows]

    def shown(self, message: int) -> tuple[str, str, bool]:
        """Return the text of a message that contains most of the words, its tool, and whether it
        was said, rather than part of a tool's call or result."""
        holding = " + ".join(f"(p.doc IN word{at})" for at in range(self._count))
        row = self._run(
            f"SELECT d.text, p.tool, p.said FROM part p JOIN doc d ON d.id = p.doc"
            f" JOIN main.message m ON m.id = p.message WHERE p.message = ? AND {self._allowed}"
            f" ORDER BY {holding} DESC, p.said DESC, d.id LIMIT 1",
            (message, *self._values),
        ).fetchone()
        return text_from(row[0]), row[1], bool(row[2])

    def vocabulary(self) -> Iterable[tuple[str, int]]:
        """Return every word of the index by its stem, with the number of texts that contain it."""
        return self._run("SELECT term, doc FROM vocabulary")

    def spelled(self, stem: str) -> str:
        """Return a word with that stem as spelled in a text that may be shown; "" if there is
        none."""
        rows = self._run(
            f"SELECT d.text {self._joined('(SELECT DISTINCT doc FROM standing WHERE term = ?)')}"
            " LIMIT 1",
            (stem, *self._values),
        )
        return next((_as_written(stem, text_from(text)) for (text,) in rows), "")

    def _gather(self, wanted: Wanted, table: str) -> None:
        """Put the texts that contain a word, anywhere, into a table."""
        if _has_words(wanted):
            self._run(
                f"INSERT OR IGNORE INTO {table} SELECT rowid FROM stems WHERE stems MATCH ?",
                (_phrase(wanted.text),),
            )
        size = len(texts.folded(wanted.text))
        if size < texts.GRAM:
            if wanted.exact:
                self._read(self.here(), wanted, table)
            return
        match = _all_grams(wanted)
        if size == texts.GRAM and not wanted.exact:  # nothing is left to check
            self._run(
                f"INSERT OR IGNORE INTO {table} SELECT rowid FROM grams WHERE grams MATCH ?",
                (match,),
            )
            return
        new = f"SELECT rowid AS doc FROM grams WHERE grams MATCH ? EXCEPT SELECT doc FROM {table}"
        rows = self._run(
            f"SELECT DISTINCT d.id, d.text {self._joined(f'({new})')}", (match, *self._values)
        )
        self._read(((doc, text_from(text)) for doc, text in rows), wanted, table)

    def _read(self, docs: Iterable[tuple[int, str]], wanted: Wanted, table: str) -> None:
        holding = [(doc,) for doc, text in docs if query.holds_literally(wanted, text)]
        self._many(f"INSERT OR IGNORE INTO {table} VALUES (?)", holding)

    def here(self) -> Iterator[tuple[int, str]]:
        """Return every text that may be shown, as an iterator of (id, text)."""
        rows = self._run(
            f"SELECT DISTINCT d.id, d.text {self._joined('(SELECT id AS doc FROM doc)')}",
            self._values,
        )
        return ((doc, text_from(text)) for doc, text in rows)

    def _joined(self, source: str) -> str:
        return (
            f"FROM {source} AS f CROSS JOIN part p ON p.doc = f.doc"
            f" CROSS JOIN main.message m ON m.id = p.message CROSS JOIN main.doc d ON d.id = f.doc"
            f" WHERE {self._allowed}"
        )

    def _said(self, table: str) -> str:
        """Return the FROM clause for the parts of messages with the texts in `table` that pass the
        filters."""
        return (
            f"FROM {table} AS f CROSS JOIN part p ON p.doc = f.doc"
            f" CROSS JOIN main.message m ON m.id = p.message WHERE {self._allowed}"
        )


def _conditions(filters: Filters) -> tuple[str, tuple[str | int, ...]]:
    said = ["m.session IN scope"]
    values: list[str | int] = []
    if filters.role == "tool":
        said.append("NOT p.said")
    elif filters.role:
        said.append("p.said AND m.role = ?")
        values.append(filters.role)
    if filters.role == "user":  # what a subagent is asked is not said by the user
        said.append("m.stream = 'main'")
    if filters.tool:
        said.append("NOT p.said AND lower(p.tool) = ?")
        values.append(filters.tool.lower())
    if filters.since:
        said.append("m.time >= ?")
        values.append(filters.since)
    if filters.until:
        said.append("m.time <= ?")
        values.append(filters.until)
    return " AND ".join(said), tuple(values)


def _has_words(wanted: Wanted) -> bool:
    return not wanted.exact and bool(query.stems_of(wanted.text))


def _phrase(text: str) -> str:
    return '"' + texts.spaced(text).replace('"', " ") + '"'


def _all_grams(wanted: Wanted) -> str:
    found = texts.grams(texts.folded(wanted.text))
    step = -(-len(found) // _MOST_GRAMS)
    return " AND ".join('"' + gram.replace('"', '""') + '"' for gram in found[::step])


def _as_written(stem: str, text: str) -> str:
    found = (text[word.start : word.end] for word in texts.words(text) if word.stem == stem)
    return next(found, "").lower()
