"""What is said in a conversation, in no agent's form: the values passed between two agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

NO_TIME = "1970-01-01T00:00:00.000Z"


class Image(NamedTuple):
    """An image: its media type and its bytes in base64."""

    media: str
    data: str


class Call(NamedTuple):
    """A tool call with its one result. `input` is a JSON object, or bare text for some tools."""

    name: str
    call_id: str
    input: dict[str, object] | str
    output: str
    error: bool = False
    images: tuple[Image, ...] = ()

    @property
    def arguments(self) -> dict[str, object]:
        """The input as an object, for agents whose tools take nothing else."""
        return self.input if isinstance(self.input, dict) else {"input": self.input}

    @property
    def content(self) -> tuple[str | Image, ...]:
        """The result as blocks: text, if there is any, and images."""
        texts: tuple[str | Image, ...] = (self.output,) if self.output or not self.images else ()
        return (*texts, *self.images)


class Said(NamedTuple):
    """What one side says at one time: texts and images, then (for the assistant) parallel calls."""

    role: str
    blocks: tuple[str | Image, ...] = ()
    calls: tuple[Call, ...] = ()
    time: str = ""
    model: str = ""
    summary: bool = False


class Speech(NamedTuple):
    """A whole conversation. `lost` counts parts that no other agent can hold, by the names in
    `losses`; `repairs` describes what was mended."""

    said: tuple[Said, ...]
    lost: dict[str, int]
    repairs: tuple[str, ...]


def flat(said: Iterable[Said]) -> Iterator[tuple[object, ...]]:
    """Yield the pieces one by one for comparison, ignoring message boundaries, times and models."""
    for one in said:
        for block in one.blocks:
            yield ("block", one.role == "assistant", block)
        for call in one.calls:
            yield ("call", call.call_id, call.name, call.arguments)
            yield ("result", call.call_id, call.output, call.error, call.images)


def turns_of(said: Sequence[Said]) -> Iterator[list[Said]]:
    """Yield turns: runs that begin with what the user says."""
    turn: list[Said] = []
    for one in said:
        if turn and one.role == "user" and any(other.role == "assistant" for other in turn):
            yield turn
            turn = []
        turn.append(one)
    if turn:
        yield turn
