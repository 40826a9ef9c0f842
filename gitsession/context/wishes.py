"""What a caller may ask of a context besides budget and strategy."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from gitsession.context.detect import kind_of
from gitsession.model.message import Message
from gitsession.model.session import Todo

MARGIN = 0.05
"""The share of the budget that stays free, because no counter here is the model's own."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """`keys` are the numbers of messages that stay whole, as do the newest `recent` exchanges.
    `count` is LobeChat's history count (0: off), `tail` the number of turns in OpenCode's tail
    (None: any). `summarize` writes the summary of a text; without it a local one is made. `kind_of`
    detects key messages."""

    keys: Collection[int] = ()
    recent: int = 0
    count: int = 0
    tail: int | None = 2
    todos: tuple[Todo, ...] = ()
    summarize: Callable[[str], str] | None = field(default=None, compare=False)
    kind_of: Callable[[Message], str] = field(default=kind_of, compare=False)
