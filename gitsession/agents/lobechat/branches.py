"""The hidden answers of a LobeChat topic: each branch of them is a session of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gitsession.agents.lenient import mapping_of, text_of

Values = dict[str, Any]


class Line(NamedTuple):
    """A hidden branch.

    `name` is that of its first message, `place` its number among its siblings, `rows` the messages
    before it, the message itself and its continuation.
    """

    name: str
    place: str
    rows: tuple[Values, ...]


def hidden(rows: Sequence[Values]) -> Iterator[Line]:
    """Yield the branches of one topic's messages that its tree does not show, in its order."""
    tree = _Tree(rows)
    for kids in tree.children.values():
        shown = tree.chosen(kids)
        for number, name in enumerate(kids, 1):
            if name != shown:
                found = set(tree.line(name))
                kept = tuple(row for row in rows if tree.owner(row) in found)
                yield Line(name, f"{number} of {len(kids)}", kept)


class _Tree:
    """Messages by name. A tool's answer belongs to the message that called it."""

    def __init__(self, rows: Sequence[Values]) -> None:
        self._rows = {text_of(row.get("id")): row for row in rows if text_of(row.get("id"))}
        self.children: dict[str, list[str]] = {}
        for name, row in self._rows.items():
            above = self._above(name)
            if above and row.get("role") != "tool":
                self.children.setdefault(above, []).append(name)

    def owner(self, row: Values) -> str:
        """Return the message that a row belongs to; system rows are part of every branch."""
        name = text_of(row.get("id"))
        return self._above(name) if row.get("role") == "tool" else name

    def _above(self, name: str) -> str:
        """Return the message before, skipping tools' answers up to the message that called them."""
        walked = {name}
        name = text_of(self._rows[name].get("parentId")) if name in self._rows else ""
        while name in self._rows and self._rows[name].get("role") == "tool" and name not in walked:
            walked.add(name)
            name = text_of(self._rows[name].get("parentId"))
        return name if name in self._rows and name not in walked else ""

    def chosen(self, kids: list[str]) -> str:
        """Return the child that is shown, by the rule of `lobechat.form.active_path`."""
        if len(kids) == 1:
            return kids[0]
        parent = self._rows[self._above(kids[0])]
        index = mapping_of(parent.get("metadata")).get("activeBranchIndex")
        if isinstance(index, int) and not isinstance(index, bool):
            return kids[index] if 0 <= index < len(kids) else kids[-1]
        return next((name for name in kids if name in self.children), kids[0])

    def line(self, name: str) -> Iterator[str]:
        """Yield a message, all messages before it, and its continuation."""
        walked: set[str] = set()
        above = name
        while above and above not in walked:
            walked.add(above)
            yield above
            above = self._above(above)
        while name in self.children:
            name = self.chosen(self.children[name])
            if name in walked:
                return
            walked.add(name)
            yield name
        yield from (at for at, row in self._rows.items()
                    if row.get("role") == "system" and not self._above(at))  # fmt: skip
