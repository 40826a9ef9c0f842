"""Finds what prevents exactly one result per tool call: missing, duplicate and orphaned results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

INTERRUPTED = "[interrupted: this tool call never got a result]"


@dataclass(slots=True)
class Pairing:
    """How the results fail to match the calls.

    `missing` holds call ids in the order of their calls; `doubled` and `orphaned` hold positions of
    results (as counted by `pair`) that repeat an earlier result or answer no call at all.
    """

    missing: list[str] = field(default_factory=list)
    doubled: set[int] = field(default_factory=set)
    orphaned: set[int] = field(default_factory=set)

    @property
    def surplus(self) -> set[int]:
        return self.doubled | self.orphaned


def pair(calls: Iterable[str], results: Iterable[str]) -> Pairing:
    """Match the ids of tool calls with the ids that results name, both in file order."""
    known = dict.fromkeys(calls)
    answered: set[str] = set()
    found = Pairing()
    for position, call_id in enumerate(results):
        if call_id not in known:
            found.orphaned.add(position)
        elif call_id in answered:
            found.doubled.add(position)
        answered.add(call_id)
    found.missing = [call_id for call_id in known if call_id not in answered]
    return found
