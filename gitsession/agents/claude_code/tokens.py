"""The tokens of a Claude Code session, per API message."""

from __future__ import annotations

from gitsession.agents.claude_code.records import Row, message_id, usage
from gitsession.agents.lenient import list_of, mapping_of, number_of
from gitsession.model.usage import Usage


class Tokens:
    """Tokens per distinct API message: of its several records, the last one counts.

    `last` is the newest main message with its tokens, since it can continue in the next turn.
    """

    def __init__(self, since: Usage, last: object) -> None:
        self._total = since
        self._seen: dict[str, Usage] = {}
        told = list_of(last)
        self.last: list[object] = told if len(told) == 5 else ["", 0, 0, 0, 0]

    def knows(self, name: str) -> bool:
        return name in self._seen or name == self.last[0]

    def see(self, row: Row, *, main: bool) -> None:
        if row.get("type") != "assistant" or not mapping_of(row.get("message")):
            return
        name, spent = message_id(row), usage(row)
        if name == self.last[0] and name not in self._seen and spent is not None:
            back = [-number_of(number) for number in self.last[1:]]
            self._total = self._total.plus(Usage(*back))
        spent = spent or self._seen.get(name, Usage())
        self._seen[name] = spent
        if main:
            self.last = [name, spent.input, spent.output, spent.cache_read, spent.cache_write]

    def close(self) -> Usage:
        for spent in self._seen.values():
            self._total = self._total.plus(spent)
        self._seen = {}
        return self._total
