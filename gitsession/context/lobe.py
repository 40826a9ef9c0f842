"""LobeChat's compression: once half the window is full, everything becomes one summary."""

from __future__ import annotations

from collections.abc import Sequence

from gitsession.context.entry import Entries, Entry, out, summary_entry
from gitsession.context.measure import input_text

WINDOW = 128_000
SHARE = 0.5
FACTOR = 1.25
TAG = "compressed_history_summary"


def tokens(entries: Sequence[Entry], tools: Sequence[str] = ()) -> int:
    """Return its estimate in tokens before the factor: characters / 4 of contents, calls, their ids
    and results, and of the tools on offer."""
    characters = sum(map(len, tools))
    for entry in entries:
        for part in entry.message.parts if entry.kept else ():
            characters += len(part.text) + len(part.call_id) + len(part.name)
            characters += len(input_text(part)) if part.kind == "tool_call" else 0
    return -(-characters // 4)


def should_compress(estimated: int, window: int = WINDOW) -> bool:
    """Whether an estimate, with its safety factor, exceeds half of the window."""
    return estimated * FACTOR > (window or WINDOW) * SHARE


def covered(entries: Entries) -> list[int]:
    """Return the positions to summarise: all but a final message of the user, and entries that must
    stay."""
    places = [place for place, entry in enumerate(entries) if entry.kept]
    if places and entries[places[-1]].message.role == "user":
        places.pop()
    return [place for place in places if not entries[place].must]


def compress(entries: Entries, summary: str) -> Entries:
    """Return the entries with one summary at the head, as a user's message in LobeChat's tag."""
    gone = set(covered(entries))
    if not gone:
        return entries
    made = summary_entry(f"<{TAG}>\n{summary}\n</{TAG}>")
    rest = [
        out(entry, "summarised", "compressed") if place in gone else entry
        for place, entry in enumerate(entries)
    ]
    systems = sum(entry.must == "system" for entry in rest)
    return (*rest[:systems], made, *rest[systems:])
