"""The kept tail of OpenCode's compaction: how much of the newest stays word for word; and its rule
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
"""Since 1.18.33."""
TURNS = 2
_SHARE = 4
_RESERVED = 20_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model takes, in tokens; 0 where unknown. `input` is a limit of its own beside
    `context` where the provider states one."""

    context: int = 0
    output: int = 0
    input: int = 0


def usable(limits: Limits, reserved: int = 0) -> int:
    """How many tokens a conversation may have; 0 without a limit."""
    if not limits.context:
        return 0
    if limits.input:
        return max(0, limits.input - (reserved or min(_RESERVED, limits.output or _RESERVED)))
    return max(0, limits.context - limits.output)


def overflows(usage: Usage, limits: Limits, *, auto: bool = True, reserved: int = 0) -> bool:
    """Whether the usage that a transcript states has reached what the model takes."""
    if not auto or not limits.context:
        return False
    return usage.total >= usable(limits, reserved)


def tail_budget(room: int, preserve: int = 0, most: int = MOST) -> int:
    """Tokens for the tail: as asked, or a quarter of the room within 2,000 and `most`."""
    return preserve or min(max(LEAST, room // _SHARE), most)


def tail_start(entries: Entries, budget: int, measure: Measure, turns: int | None = TURNS) -> int:
    """The position from which on entries are kept: the longest ending within `budget` tokens, at
    most `turns` exchanges (None: any number, 0: none). `len(entries)` when nothing fits."""
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
