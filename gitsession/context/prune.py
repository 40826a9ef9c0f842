"""Old tool output: cleared by OpenCode's rule or a person's marker, or cut to its two ends."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gitsession.context.entry import Entries, Entry, with_parts
from gitsession.context.tokens import opencode_estimate
from gitsession.model.message import Part

CLEARED = "[Old tool result content cleared]"
PROTECT = 40_000
"""The number of the newest tokens of tool output that stay, by OpenCode's own estimate."""
MINIMUM = 20_000
"""Nothing is cleared unless that frees more tokens than this."""
PROTECTED = ("skill",)
_TURNS = 2


def prune(
    entries: Entries,
    *,
    protect: int = PROTECT,
    minimum: int = MINIMUM,
    protected: Collection[str] = PROTECTED,
) -> Entries:
    """Apply OpenCode's rule: going backwards from before the last two prompts, the newest `protect`
    tokens of completed tool output stay, and older output is cleared if that frees more than
    `minimum`. The walk ends at a summary or at output cleared before; output of `protected` tools
    stays."""
    marked, gain = _beyond(entries, protect, protected)
    if gain <= minimum:
        return entries
    return clear(entries, marked, "old tool output")


def beyond(entries: Entries) -> tuple[str, ...]:
    """Return the ids of the calls whose results the rule would clear, oldest first."""
    marked, gain = _beyond(entries, PROTECT, PROTECTED)
    if gain <= MINIMUM:
        return ()
    return tuple(entries[at].message.parts[part].call_id for at, part in sorted(marked))


def _beyond(
    entries: Entries, protect: int, protected: Collection[str]
) -> tuple[set[tuple[int, int]], int]:
    """Return the places of the results older than the protected ones, and their tokens."""
    marked: set[tuple[int, int]] = set()
    turns = seen = gain = 0
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if not entry.kept:
            continue
        turns += entry.message.role == "user"
        if turns < _TURNS:
            continue
        if is_summary(entry):
            break
        for position, call, result in reversed(_results(entry)):
            if call.name in protected or result.synthetic:
                continue
            if result.text == CLEARED:
                return marked, gain
            tokens = opencode_estimate(result.text)
            seen += tokens
            if seen > protect:
                gain += tokens
                marked.add((place, position))
    return marked, gain


def _results(entry: Entry) -> list[tuple[int, Part, Part]]:
    """Return each result with its position in the message and its call."""
    parts = entry.message.parts
    return [
        (position, parts[position - 1], part)
        for position, part in enumerate(parts)
        if part.kind == "tool_result" and position and parts[position - 1].kind == "tool_call"
    ]


def is_summary(entry: Entry) -> bool:
    """Whether the message is a summary of what came before it."""
    kinds = {part.kind for part in entry.message.parts}
    return "compaction" in kinds or entry.message.extra.get("made") == "summary"


def clear(entries: Entries, marked: Collection[tuple[int, int]], why: str) -> Entries:
    """Clear the results at those places (entry, part), except in entries that must stay."""
    parts_at: dict[int, set[int]] = {}
    for place, part in marked:
        parts_at.setdefault(place, set()).add(part)
    return tuple(
        _cleared(entry, parts_at[place], why) if place in parts_at and not entry.must else entry
        for place, entry in enumerate(entries)
    )


def clear_calls(entries: Entries, call_ids: Collection[str], why: str) -> Entries:
    """Clear the results of those calls."""
    wanted = frozenset(call_ids)
    marked = [
        (place, position)
        for place, entry in enumerate(entries)
        if entry.kept
        for position, part in enumerate(entry.message.parts)
        if part.kind == "tool_result" and part.call_id in wanted
    ]
    return clear(entries, marked, why) if marked else entries


def _cleared(entry: Entry, positions: set[int], why: str) -> Entry:
    parts = [
        replace(part, text=CLEARED, native=None) if position in positions else part
        for position, part in enumerate(entry.message.parts)
    ]
    return with_parts(entry, parts, "pruned", why)


def shorten(entry: Entry, limit: int, protected: Collection[str] = PROTECTED) -> Entry:
    """Return the entry with tool output, and long texts in arguments, cut to at most `limit`
    characters: their beginning and end, and a note of how many are missing in between."""
    parts = list(entry.message.parts)
    for position, part in enumerate(parts):
        name = parts[position - 1].name if position else ""
        if part.kind == "tool_result" and name not in protected and len(part.text) > limit:
            parts[position] = replace(part, text=middle_out(part.text, limit), native=None)
        elif part.kind == "tool_call" and part.name not in protected:
            given = _short_input(part.input, limit)
            if given != part.input:
                parts[position] = replace(part, input=given)
    if all(new is old for new, old in zip(parts, entry.message.parts, strict=True)):
        return entry
    return with_parts(entry, parts, "shortened", f"tool texts cut to {limit} characters")


def _short_input(value: object, limit: int, depth: int = 0) -> object:
    if isinstance(value, str):
        return middle_out(value, limit) if len(value) > limit else value
    if depth > 20:
        return value
    if isinstance(value, dict):
        return {name: _short_input(item, limit, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_short_input(item, limit, depth + 1) for item in value]
    return value


def middle_out(text: str, limit: int) -> str:
    """Return the beginning and end of a text, at most `limit` characters including the note between
    them (a note longer than `limit` is kept)."""
    if len(text) <= limit:
        return text
    note = f"\n[... {len(text) - limit} characters left out ...]\n"
    room = max(limit - len(note), 0)
    head = room * 2 // 3
    return text[:head] + note + text[len(text) - (room - head) :]
