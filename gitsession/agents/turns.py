"""Cuts an ordered run of native records into turns, one continuation each, from content alone.

The adapter supplies a Fold that recognises prompts and ends. The rules for where a turn begins and
ends are kept here, in one place, so that reading in one go and reading in any number of steps give
the same history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gitsession.giants import short
from gitsession.model.record import Record, Stream
from gitsession.model.session import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.fold import Fold, Seen
    from gitsession.model.session import Session


class OpenTurn:
    """The turn being collected: the cutter adds records, the Fold fills in what it learns.

    `first` is the index of the first record in its stream; `start` and `end` are byte positions in
    the source. `answered` is for formats without an end record: the turn looks complete, so the
    prompt that closes it does not make it an interrupted turn. `aborted` is for formats whose end
    record says that the user stopped the turn.
    """

    __slots__ = (
        "aborted", "answered", "asked", "compaction", "end", "first", "messages", "prompt",
        "records", "rewound", "start", "time",
    )  # fmt: skip

    def __init__(self, first: int, start: int, end: int) -> None:
        self.first, self.start, self.end = first, start, end
        self.records: list[Record] = []
        self.asked = False
        self.prompt = self.time = ""
        self.messages = 0
        self.compaction = self.rewound = self.answered = self.aborted = False

    def add(self, data: bytes) -> None:
        self.records.append(Record(data))
        self.end += len(data)

    def ask(self, prompt: str) -> None:
        """Note what the user asked; a turn is known by its first prompt."""
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


def cut(
    lines: Iterable[bytes], position: Stream, fold: Fold[Seen], *, whole: bool = False
) -> Iterator[Session]:
    """Yield one Session per turn; the last is unfinished unless the lines stop at an end record.

    `position` is where `lines` begin (count and offset). A record without a line end never closes a
    turn, since the agent may still be writing it, unless the source is `whole`: a file that its
    agent replaces in one step, whose records are not lines. The Fold sees records with giant
    strings shortened.
    """
    turn = OpenTurn(position.count, position.offset, position.offset)
    for data in lines:
        seen = fold.parse(short(data))
        if turn.asked and fold.asks(seen):
            yield fold.close(turn, turn.turn(finished=True, ended=False))
            turn = _next(turn)
        turn.add(data)
        if fold.take(seen, turn) and (whole or data.endswith(b"\n")):
            yield fold.close(turn, turn.turn(finished=True, ended=True))
            turn = _next(turn)
    if turn.records:
        yield fold.close(turn, turn.turn(finished=False, ended=False))


def with_rest(
    sessions: Iterable[Session], position: Stream, rest: Callable[[OpenTurn], Session | None]
) -> Iterator[Session]:
    """Yield the sessions and, if the last turn is finished, what `rest` makes of leftover records.

    `rest` gets an empty turn at the end of the main stream and handles the records of other
    streams.
    """
    end, finished = OpenTurn(position.count, position.offset, position.offset), True
    for session in sessions:
        yield session
        main, turn = session.stream(), session.turn
        end = OpenTurn(main.count, main.offset, main.offset)
        finished = turn is not None and turn.finished
    more = rest(end) if finished else None
    if more is not None:
        yield more


def _next(turn: OpenTurn) -> OpenTurn:
    return OpenTurn(turn.first + len(turn.records), turn.end, turn.end)
