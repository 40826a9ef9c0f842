"""What `turns.cut` asks of an adapter, for type checkers and for who writes one."""

from __future__ import annotations

from typing import Protocol, TypeVar

from gitsession.agents.turns import OpenTurn
from gitsession.model.session import Session, Turn

Seen = TypeVar("Seen")


class Fold(Protocol[Seen]):
    """The running facts of a session (info, state, counts …) and how a record changes them."""

    def parse(self, data: bytes) -> Seen:
        """Understand one record, whose giant strings are shortened (see `giants`); no fact may
        change here. Never raises for bad bytes."""
        ...

    def asks(self, seen: Seen) -> bool:
        """Whether the record holds a prompt of the user."""
        ...

    def take(self, seen: Seen, turn: OpenTurn) -> bool:
        """Fold the record (already the last of `turn.records`) in; True if it ends the turn."""
        ...

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        """The continuation up to here, and get ready for the next turn."""
        ...
