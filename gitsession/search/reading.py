"""The same lookups without FTS5: reads every text. Slower, with the same results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gitsession.search import query, texts
from gitsession.search.lookup import Lookup
from gitsession.search.query import Wanted


class Reading(Lookup):
    """For a Python whose SQLite has no full-text search, or no trigrams."""

    def best(self, wanted: Sequence[Wanted], most: int) -> list[list[int]]:
        """Return no ranking: nothing here weighs messages, so the newest come first."""
        del wanted, most
        return []

    def vocabulary(self) -> Iterable[tuple[str, int]]:
        """Return every word of the texts that may be shown, by its stem, with the number of texts
        that contain it."""
        found: Counter[str] = Counter()
        for _, text in self.here():
            found.update({word.stem for word in texts.words(text)})
        return found.items()

    def spelled(self, stem: str) -> str:
        """Return a word with that stem as spelled in a text that may be shown; "" if there is
        none."""
        for _, text in self.here():
            for word in texts.words(text):
                if word.stem == stem:
                    return text[word.start : word.end].lower()
        return ""

    def _gather(self, wanted: Wanted, table: str) -> None:
        holding = [(doc,) for doc, text in self.here() if query.holds(wanted, text)]
        self._many(f"INSERT OR IGNORE INTO {table} VALUES (?)", holding)  # noqa: S608
