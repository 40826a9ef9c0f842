"""Divide a conversation into exchanges or into LobeChat's groups; select windows of them."""

from __future__ import annotations

from gitsession.context.entry import Entries, Entry, out
from gitsession.context.measure import Measure


def is_prompt(entry: Entry) -> bool:
    """Whether the message is a prompt, which begins an exchange."""
    return entry.message.role == "user" and entry.number > 0


def exchanges(entries: Entries, *, each_prompt: bool = False) -> list[list[int]]:
    """Return the positions of the kept entries, one list per exchange: a prompt and everything up
    to the next.

    Entries before the first prompt form an exchange of their own. Consecutive prompts count as one
    question unless `each_prompt`.
    """
    found: list[list[int]] = []
    before = False
    for place, entry in enumerate(entries):
        if not entry.kept:
            continue
        if not found or (is_prompt(entry) and (each_prompt or not before)):
            found.append([])
        found[-1].append(place)
        before = is_prompt(entry)
    return found


def groups(entries: Entries) -> list[list[int]]:
    """Return the positions of the kept entries, one list per group: a user's message; an
    assistant's message with its tools; neighbours with the same `group` (a council, a comparison,
    parallel tasks)."""
    found: list[list[int]] = []
    last: object = None
    for place, entry in enumerate(entries):
        if not entry.kept:
            continue
        name = entry.message.extra.get("group")
        if name is None or name != last or not found:
            found.append([])
        found[-1].append(place)
        last = name
    return found


def count_window(
    entries: Entries, count: int, *, enabled: bool = True, new_message: bool = False
) -> Entries:
    """Keep the newest `count` groups, one more while a new message is being sent, none if `count`
    is zero or less. Everything if not `enabled`. Entries that must stay are kept in any case."""
    if not enabled:
        return entries
    found = groups(entries)
    taken = max(count, 0) + (1 if new_message and count > 0 else 0)
    wanted = {place for group in found[max(len(found) - taken, 0) :] for place in group}
    if not taken:
        wanted = set()
    return _only(entries, wanted, f"older than the last {taken} groups")


def backwards(entries: Entries, room: int, measure: Measure) -> Entries:
    """Keep the newest entries that fit into `room` tokens, stopping at the first that does not.

    Entries that must stay, and summaries made here, are counted first and always kept.
    """
    fixed = {place for place, entry in enumerate(entries) if entry.must or not entry.number}
    left = room - sum(measure.entry(entries[place]) for place in fixed)
    wanted = set(fixed)
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if not entry.kept or place in fixed:
            continue
        cost = measure.entry(entry)
        if cost > left:
            break
        left -= cost
        wanted.add(place)
    return _only(entries, wanted, "older than what fits into the budget")


def recent(entries: Entries, room: int, measure: Measure) -> Entries:
    """Keep the newest exchanges that fit whole or, if not even one does, the newest messages."""
    fixed = {place for place, entry in enumerate(entries) if entry.must}
    left = room - sum(measure.entry(entries[place]) for place in fixed)
    wanted: set[int] = set()
    for exchange in reversed(exchanges(entries)):
        cost = sum(measure.entry(entries[place]) for place in exchange if place not in fixed)
        if cost > left:
            break
        left -= cost
        wanted.update(exchange)
    if not wanted:
        return backwards(entries, room, measure)
    return _only(entries, wanted | fixed, "older than the exchanges that fit")


def _only(entries: Entries, wanted: set[int], why: str) -> Entries:
    return tuple(
        entry if place in wanted or entry.must or not entry.kept else _dropped(entry, why)
        for place, entry in enumerate(entries)
    )


def _dropped(entry: Entry, why: str) -> Entry:
    return out(entry, "dropped", why)
