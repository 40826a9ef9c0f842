"""Cuts an ordered run of native records into turns: one continuation each, from content alone.

The adapter brings a Fold that recognises prompts and ends; the rules of where a turn begins and
stops stand here once, so that reading in one go and in any steps gives the same history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from gitsession.model.record import Record, Stream
from gitsession.model.session import Session, Turn

Seen = TypeVar("Seen")


@dataclass(slots=True)
class OpenTurn:
    """The turn being gathered. The cutter adds records; the Fold fills in what it learns.

    `first` is the index of the first record in its stream, `start` and `end` are byte positions
    in the source. `answered` is for formats without an end record: the turn looks complete, so a
    prompt that closes it does not make it an interrupted one. `aborted` is for formats whose end
    record says that the user stopped the turn.
    """

    first: int
    start: int
    end: int
    records: list[Record] = field(default_factory=list)
    asked: bool = False
    prompt: str = ""
    time: str = ""
    messages: int = 0
    compaction: bool = False
    rewound: bool = False
    answered: bool = False
    aborted: bool = False

    def add(self, data: bytes) -> None:
        self.records.append(Record(data))
        self.end += len(data)

    def ask(self, prompt: str) -> None:
        """Note what the user asked; the first prompt of a turn is the one it is known by."""
        if not self.asked:
            self.asked, self.prompt = True, prompt

    def see_time(self, time: str) -> None:
        """Keep the newest time (ISO-8601 UTC, comparable as text); "" changes nothing."""
        self.time = max(self.time, time)

    def stream(self, name: str = "main") -> Stream:
        return Stream(name, tuple(self.records), self.first, self.end)

    def turn(self, *, finished: bool, ended: bool) -> Turn:
        if not finished:
            kind = "open"
        elif self.compaction:
            kind = "compaction"
        else:
            complete = (ended or self.answered) and not self.aborted
            kind = "turn" if complete else "interrupted"
        return Turn(kind, self.prompt, self.time, finished, self.messages, self.rewound)


class Fold(Protocol[Seen]):
    """The running facts of a session (info, state, counts …) and how a record changes them."""

    def parse(self, data: bytes) -> Seen:
        """Understand one record; no fact may change here. Never raises for bad bytes."""
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


def cut(
    lines: Iterable[bytes], position: Stream, fold: Fold[Seen], *, whole: bool = False
) -> Iterator[Session]:
    """One Session per turn, the last one unfinished unless the lines stop at an end record.

    `position` is where `lines` begin (its count and offset). A record without a line end never
    closes a turn, since the agent may still be writing it, unless the source is `whole`: a file
    that its agent replaces at once, whose records are no lines.
    """
    turn = OpenTurn(position.count, position.offset, position.offset)
    for data in lines:
        seen = fold.parse(data)
        if turn.asked and fold.asks(seen):
            yield fold.close(turn, turn.turn(finished=True, ended=False))
            turn = _next(turn)
        turn.add(data)
        if fold.take(seen, turn) and (whole or data.endswith(b"\n")):
            yield fold.close(turn, turn.turn(finished=True, ended=True))
            turn = _next(turn)
    if turn.records:
        yield fold.close(turn, turn.turn(finished=False, ended=False))


def _next(turn: OpenTurn) -> OpenTurn:
    return OpenTurn(turn.first + len(turn.records), turn.end, turn.end)
