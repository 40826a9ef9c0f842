"""The tail that OpenCode's compaction keeps: how much of the newest is kept verbatim; and its rule
for when a conversation overflows."""

from __future__ import annotations

from dataclasses import dataclass

from gitsession.context.entry import Entries
from gitsession.context.groups import exchanges
from gitsession.context.measure import Measure
from gitsession.model.message import Usage

LEAST = 2_000
MOST = 8_000
MOST_LATER = 15_000
"""The value since OpenCode 1.18.33."""
TURNS = 2
_SHARE = 4
_RESERVED = 20_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a model, in tokens; 0 if unknown. `input` is a separate limit, in addition to
    `context`, for providers that state one."""

    context: int = 0
    output: int = 0
    input: int = 0


def usable(limits: Limits, reserved: int = 0) -> int:
    """Return how many tokens a conversation may have; 0 if there is no known limit."""
    if not limits.context:
        return 0
    if limits.input:
        return max(0, limits.input - (reserved or min(_RESERVED, limits.output or _RESERVED)))
    return max(0, limits.context - limits.output)


def overflows(usage: Usage, limits: Limits, *, auto: bool = True, reserved: int = 0) -> bool:
    """Whether the usage stated by a transcript has reached the model's limit."""
    if not auto or not limits.context:
        return False
    return usage.total >= usable(limits, reserved)


def tail_budget(room: int, preserve: int = 0, most: int = MOST) -> int:
    """Return the tokens for the tail: `preserve` if given, else a quarter of the room, between
    2,000 and `most`."""
    return preserve or min(max(LEAST, room // _SHARE), most)


def tail_start(entries: Entries, budget: int, measure: Measure, turns: int | None = TURNS) -> int:
    """Return the position from which entries are kept: the longest ending within `budget` tokens
    and at most `turns` exchanges (None: any number, 0: none). `len(entries)` if nothing fits."""
    start = len(entries)
    found = exchanges(entries, each_prompt=True)
    wanted = found if turns is None else found[max(len(found) - turns, 0) :] if turns else []
    for exchange in reversed(wanted):
        for place in reversed(exchange):
            budget -= measure.entry(entries[place])
            if budget < 0:
                return start
            start = place
    return start
