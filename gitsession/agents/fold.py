"""The protocol that `turns.cut` requires of an adapter, for type checkers and adapter authors."""

from __future__ import annotations

from typing import Protocol, TypeVar

from gitsession.agents.turns import OpenTurn
from gitsession.model.session import Session, Turn

Seen = TypeVar("Seen")


class Fold(Protocol[Seen]):
    """The running facts of a session (info, state, counts …) and how each record changes them."""

    def parse(self, data: bytes) -> Seen:
        """Understand one record, whose giant strings are shortened (see `giants`).

        Must not change any fact. Never raises for bad bytes.
        """
        ...

    def asks(self, seen: Seen) -> bool:
        """Whether the record contains a prompt from the user."""
        ...

    def take(self, seen: Seen, turn: OpenTurn) -> bool:
        """Fold in the record (already the last of `turn.records`); True if it ends the turn."""
        ...

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        """Return the continuation up to here and get ready for the next turn."""
        ...
