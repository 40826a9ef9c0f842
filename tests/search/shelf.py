"""An index in memory with a few sessions, for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gitsession.search import database
from gitsession.search.answering import Answer, answer
from gitsession.search.entries import Entry, Point, Text
from gitsession.search.index import Index
from gitsession.search.lookup import Filters
from gitsession.search.query import parse

ALL = Filters()


def version(number: int) -> str:
    return f"{number:040x}"


def said(*texts: str, role: str = "user", time: int = 0) -> list[Entry]:
    """One message a text, numbered from 1."""
    return [
        Entry(number, role, time or number, (Text(text),)) for number, text in enumerate(texts, 1)
    ]


class Shelf:
    """`full` False: as where SQLite has no full text."""

    def __init__(self, *, full: bool = True) -> None:
        connection = database.opened(database.MEMORY, "test", full=full)
        self.index = Index(connection, full=full)
        self.titles: dict[str, str] = {}

    def put(
        self, session: str, entries: Iterable[Entry], at: int = 1, title: str = "", keep: int = 0
    ) -> None:
        """Read a version of a session; `keep` names an older one that counts, too."""
        self.titles[session] = title
        commit = version(at)
        with self.index.filling(session) as filling:
            filling.add(Point(commit), list(entries), lambda places: [(commit, 0) for _ in places])
            filling.keep([commit, version(keep)] if keep else [commit])

    def ask(
        self,
        *texts: str,
        exact: bool = False,
        filters: Filters = ALL,
        limit: int = 0,
        titles: Mapping[str, str] | None = None,
    ) -> Answer:
        wanted = parse(texts, exact=exact)
        found = answer(
            self.index, wanted, self.titles if titles is None else titles, filters, limit
        )
        for name in ("scope", "found", *(f"word{at}" for at in range(9))):
            self.index.connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
        return found

    def numbers(self, *texts: str, **how: object) -> list[int]:
        """The numbers of the messages that hold the texts, in their order in the session."""
        return sorted(one.number for one in self.ask(*texts, **how).found)  # type: ignore[arg-type]

    def rows(self) -> dict[str, Sequence[object]]:
        """All that stands in the index, without the numbers that depend on the order of filling."""
        run = self.index.connection.execute
        tables: dict[str, Sequence[object]] = {
            "messages": run(
                "SELECT s.name, m.digest, m.number, m.role, m.time, m.version FROM message m"
                " JOIN session s ON s.id = m.session ORDER BY 1, 2"
            ).fetchall(),
            "parts": run(
                "SELECT d.digest, d.text, m.digest, p.tool, p.said FROM part p"
                " JOIN doc d ON d.id = p.doc JOIN message m ON m.id = p.message"
                " ORDER BY 1, 3, 4, 5"
            ).fetchall(),
            "docs": run("SELECT digest FROM doc ORDER BY 1").fetchall(),
        }
        if self.index.full:
            tables["words"] = run("SELECT term, doc, cnt FROM vocabulary ORDER BY 1").fetchall()
        return tables
