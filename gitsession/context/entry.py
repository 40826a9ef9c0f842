"""The values of this room: messages on their way into a context, the ledger, and the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gitsession.model.message import Message, Part

FATES = ("whole", "shortened", "pruned", "summarised", "dropped", "made")
"""`made` is a message that is not in the session, such as a summary."""

_GONE = ("summarised", "dropped")


@dataclass(frozen=True, slots=True)
class Entry:
    """One message on its way into a context.

    `number` is the message's number in the session, 0 for one made here. `message` is what a model
    would see of it now, `original` what the session holds. `must` is the reason (`newest`, `key` …)
    why the entry has to be in every context, "" if it does not.
    """

    number: int
    message: Message
    original: Message
    fate: str = "whole"
    why: str = ""
    must: str = ""

    @property
    def kept(self) -> bool:
        return self.fate not in _GONE


Entries = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the ledger: the fate of message `message` and the reason. `before` and `after`
    are tokens; `into` names what a summarised message became part of."""

    message: int
    fate: str
    why: str
    before: int
    after: int
    into: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """The messages for a model, in the order in which it gets them.

    `numbers` holds the number in the session of each message (0: made here). `tokens` is counted by
    `estimator` over system prompt and messages; `tokens + margin <= budget` always holds.
    """

    messages: tuple[Message, ...]
    numbers: tuple[int, ...]
    ledger: tuple[Line, ...]
    tokens: int
    budget: int
    margin: int
    estimator: str
    strategy: str
    system: str = ""
    repairs: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The summary at the head, "" if there is none."""
        texts = (m.text for m, n in zip(self.messages, self.numbers, strict=True) if n == 0)
        return next(texts, "")


def entries_of(messages: Iterable[Message]) -> Entries:
    """Return every message of a session, numbered from 1, nothing decided yet."""
    return tuple(Entry(number, one, one) for number, one in enumerate(messages, 1))


def kept(entries: Iterable[Entry]) -> Entries:
    return tuple(entry for entry in entries if entry.kept)


def with_parts(entry: Entry, parts: Sequence[Part], fate: str = "", why: str = "") -> Entry:
    """Return the entry with other parts; its fate can only get worse, and reasons accumulate."""
    rank = FATES.index
    worse = fate if fate and rank(fate) > rank(entry.fate) else entry.fate
    message = replace(entry.message, parts=tuple(parts))
    return Entry(entry.number, message, entry.original, worse, joined(entry.why, why), entry.must)


def out(entry: Entry, fate: str, why: str) -> Entry:
    """Return the entry left out (`dropped` or `summarised`), with `why` as its only reason."""
    return Entry(entry.number, entry.message, entry.original, fate, why, entry.must)


def joined(first: str, second: str) -> str:
    """Join two reasons; one that is already given is not repeated."""
    if not second or second in first.split("; "):
        return first
    return f"{first}; {second}" if first else second


def summary_entry(text: str, role: str = "user") -> Entry:
    """Return a message made here that stands for others."""
    part = Part("text", text, synthetic=True)
    message = Message(role, (part,), extra={"made": "summary"})
    return Entry(0, message, message, "made", "summary")
