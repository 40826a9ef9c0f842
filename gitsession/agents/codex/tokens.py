"""Tokens of a Codex session: the last running total counts, not the sum of all recorded numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitsession.agents.lenient import mapping_of, number_of
from gitsession.model.usage import Usage

_NAMES = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "total_tokens",
)


def usage_of(spent: Mapping[str, Any]) -> Usage:
    """Return one native count; cache reads and writes are part of the native input."""
    read = number_of(spent.get("cached_input_tokens"))
    written = number_of(spent.get("cache_write_input_tokens"))
    fresh = number_of(spent.get("input_tokens")) - read - written
    return Usage(max(0, fresh), number_of(spent.get("output_tokens")), read, written)


class Tokens:
    """The running total. If counting restarts (older releases do so on resume), totals add up."""

    def __init__(self, carried: object = None) -> None:
        carry = mapping_of(carried)
        self._now = _numbers(mapping_of(carry.get("now")))
        self._before = _numbers(mapping_of(carry.get("before")))

    def carry(self) -> dict[str, object]:
        return {"now": dict(self._now), "before": dict(self._before)}

    def see(self, total: object) -> None:
        """Take in a running total as a record states it; anything else is ignored."""
        now = _numbers(mapping_of(total))
        if not now:
            return
        if now.get("total_tokens", 0) < self._now.get("total_tokens", 0):
            for name, count in self._now.items():
                self._before[name] = self._before.get(name, 0) + count
        self._now = now

    def usage(self) -> Usage:
        return usage_of(self._now).plus(usage_of(self._before))


def _numbers(values: Mapping[str, Any]) -> dict[str, int]:
    return {name: number_of(values[name]) for name in _NAMES if number_of(values.get(name))}
