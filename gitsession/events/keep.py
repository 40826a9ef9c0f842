"""Reduce events: drop recent repeats, keep the most important and newest ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from gitsession.model.event import Event

WINDOW = 5
MOST = 1_000


def without_repeats(events: Iterable[Event]) -> list[Event]:
    """Drop events with the same type and data as one of the last five that were kept."""
    kept: list[Event] = []
    recent: deque[tuple[str, str]] = deque(maxlen=WINDOW)
    for event in events:
        said = (event.type, event.data)
        if said not in recent:
            recent.append(said)
            kept.append(event)
    return kept


def newest(events: Sequence[Event], most: int = MOST) -> list[Event]:
    """Return at most `most` events, in their order: less important ones go first and, among equals,
    older ones."""
    if len(events) <= most:
        return list(events)
    by_worth = sorted(range(len(events)), key=lambda at: (events[at].priority, -at))
    return [events[at] for at in sorted(by_worth[: max(most, 0)])]
