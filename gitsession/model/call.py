"""Tool calls as addressable things: a call, its result and its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gitsession.errors import Ambiguous, NotFound
from gitsession.model.message import Message, Part

OUTCOMES = ("ok", "error", "interrupted", "open")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with its result, if the transcript has one. `message` counts from 1."""

    message: int
    call: Part
    result: Part | None = None

    @property
    def outcome(self) -> str:
        """`ok`, `error`, `interrupted` (gitsession made up the result) or `open` (no result
        yet)."""
        if self.result is None:
            return "open"
        if self.result.synthetic:
            return "interrupted"
        return "error" if self.result.error else "ok"


def calls(messages: Iterable[Message], first: int = 1) -> Iterator[Call]:
    """Yield every tool call in order; `first` is the number of the first message.

    A result belongs to the call with the same id in its own message; a call without an id takes the
    next result without one.
    """
    for number, message in enumerate(messages, first):
        yield from message_calls(message, number)


def message_calls(message: Message, number: int) -> Iterator[Call]:
    """Yield the tool calls of one message."""
    results: dict[str, list[Part]] = {}
    for part in message.parts:
        if part.kind == "tool_result":
            results.setdefault(part.call_id, []).append(part)
    for waiting in results.values():
        waiting.reverse()
    for part in message.parts:
        if part.kind == "tool_call":
            waiting = results.get(part.call_id, [])
            yield Call(number, part, waiting.pop() if waiting else None)


def find_call(messages: Iterable[Message], call_id: str) -> Call:
    """Return the call with exactly that id, else the only call whose id starts with it.

    Raises NotFound, or Ambiguous with the candidates.
    """
    starting = []
    for call in calls(messages):
        if call.call.call_id == call_id:
            return call
        if call_id and call.call.call_id.startswith(call_id):
            starting.append(call)
    if len(starting) == 1:
        return starting[0]
    if starting:
        raise Ambiguous(
            "more than one tool call id starts like that",
            hint="give more characters of the id",
            candidates=tuple(call.call.call_id for call in starting[:10]),
        )
    raise NotFound(
        "this version has no tool call with that id",
        hint="`gitsession show REV` lists the calls with their ids",
    )
