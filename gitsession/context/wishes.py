"""What a caller may ask of a context besides budget and strategy."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from gitsession.context.detect import kind_of
from gitsession.model.message import Message
from gitsession.model.session import Todo

MARGIN = 0.05
"""Of the budget stays free: no counter here is the model's own."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """`keys` are numbers of messages that stay whole; `recent` so many of the newest exchanges,
    too. `count` is LobeChat's history count (0: off), `tail` the turns of OpenCode's tail (None:
    any). `summarize` writes a summary of a text; without it the local one is made. `kind_of` is
    the detector of key messages.
    """

    keys: Collection[int] = ()
    recent: int = 0
    count: int = 0
    tail: int | None = 2
    todos: tuple[Todo, ...] = ()
    summarize: Callable[[str], str] | None = field(default=None, compare=False)
    kind_of: Callable[[Message], str] = field(default=kind_of, compare=False)
