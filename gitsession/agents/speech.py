"""A conversation without its agent: what each side says, calls and gets back, ready to be written
in any agent's form. The way in between two agents; reading it back gives the same again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gitsession.agents.lenient import compact, list_of, mapping_of, text_of, whole_text
from gitsession.agents.pairs import INTERRUPTED
from gitsession.digests import sha256
from gitsession.model.message import Message, Part

NO_TIME = "1970-01-01T00:00:00.000Z"
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DATA_URL = re.compile(r"data:(image/[a-z0-9.+-]+);base64,(.+)", re.DOTALL)
_NAMED_PARTS = {"file": "files", "image": "images"}
_LOST_PARTS = {**_NAMED_PARTS, "step": "steps", "patch": "patches"}


class Image(NamedTuple):
    """A picture: its media type and its bytes in base64."""

    media: str
    data: str


class Call(NamedTuple):
    """A tool call with its one result. `input` is a JSON object, or the bare text that some tools
    take."""

    name: str
    call_id: str
    input: dict[str, object] | str
    output: str
    error: bool = False
    images: tuple[Image, ...] = ()

    @property
    def arguments(self) -> dict[str, object]:
        """The input for agents whose tools take objects only."""
        return self.input if isinstance(self.input, dict) else {"input": self.input}

    @property
    def content(self) -> tuple[str | Image, ...]:
        """The result as blocks: text, if it has any, and pictures."""
        texts: tuple[str | Image, ...] = (self.output,) if self.output or not self.images else ()
        return (*texts, *self.images)


class Said(NamedTuple):
    """What one side says in one go: texts and pictures, then (the assistant) parallel calls."""

    role: str
    blocks: tuple[str | Image, ...] = ()
    calls: tuple[Call, ...] = ()
    time: str = ""
    model: str = ""
    summary: bool = False


class Speech(NamedTuple):
    """`lost` counts parts that no other agent can hold, by the names in `losses`; `repairs` says
    what was mended."""

    said: tuple[Said, ...]
    lost: dict[str, int]
    repairs: tuple[str, ...]


def speech(messages: Iterable[Message]) -> Speech:
    """Every message of whatever role as something said: all but the assistant's as the user's."""
    gathering = _Gathering()
    for message in messages:
        gathering.take(message)
    return gathering.speech()


def flat(said: Iterable[Said]) -> Iterator[tuple[object, ...]]:
    """The pieces one by one, for comparing: cuts between messages, times and models aside."""
    for one in said:
        for block in one.blocks:
            yield ("block", one.role == "assistant", block)
        for call in one.calls:
            yield ("call", call.call_id, call.name, call.arguments)
            yield ("result", call.call_id, call.output, call.error, call.images)


def turns_of(said: Sequence[Said]) -> Iterator[list[Said]]:
    """Runs that begin with what the user says, summaries aside."""
    turn: list[Said] = []
    for one in said:
        if turn and one.role == "user" and any(other.role == "assistant" for other in turn):
            yield turn
            turn = []
        turn.append(one)
    if turn:
        yield turn


@dataclass(slots=True)
class _Draft:
    message: Message
    blocks: list[str | Image] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


class _Gathering:
    def __init__(self) -> None:
        self._drafts: list[_Draft] = []
        self._open: dict[str, list[tuple[_Draft, int]]] = {}
        self._ids: set[str] = set()
        self._lost: dict[str, int] = {}
        self._orphans = 0

    def take(self, message: Message) -> None:
        draft = self._begin(message)
        for part in message.parts:
            if part.kind == "tool_result":
                self._answer(part)
            elif part.kind == "tool_call":
                self._call(draft, part)
            else:
                block = self._block(part)
                if block is not None:
                    draft = self._begin(message) if draft.calls else draft
                    draft.blocks.append(block)

    def _begin(self, message: Message) -> _Draft:
        self._drafts.append(_Draft(message))
        return self._drafts[-1]

    def _block(self, part: Part) -> str | Image | None:
        """What can be said in any form; None for what cannot, which is counted."""
        if part.kind in ("text", "compaction"):
            return _words(part.text)
        if part.kind == "reasoning":
            text = _words(part.text)
            return f"<thinking>\n{text}\n</thinking>" if text else None
        image = image_of(part.native) if part.kind == "image" else None
        if image is not None:
            return image
        self._lose(_LOST_PARTS.get(part.kind, "unknown"))
        return f"[{part.kind}: {whole_text(part.name)}]" if part.kind in _NAMED_PARTS else None

    def _lose(self, name: str) -> None:
        self._lost[name] = self._lost.get(name, 0) + 1

    def _call(self, draft: _Draft, part: Part) -> None:
        call_id = part.call_id
        if not _CALL_ID.fullmatch(call_id) or call_id in self._ids:
            seed = f"{len(self._ids)}\n{call_id}".encode("utf-8", "replace")
            call_id = "call_" + sha256(seed).hexdigest()[:24]
        self._ids.add(call_id)
        self._open.setdefault(part.call_id, []).append((draft, len(draft.calls)))
        name, given = whole_text(part.name), _input(part.input)
        draft.calls.append(Call(name, call_id, given, INTERRUPTED, error=True))

    def _answer(self, part: Part) -> None:
        """The first result that a call gets is its result."""
        waiting = self._open.get(part.call_id)
        if not waiting:
            self._orphans += 1
            return
        draft, place = waiting.pop(0)
        images = tuple(_images(part.native))
        answered = draft.calls[place]._replace(
            output=whole_text(part.text), error=part.error, images=images
        )
        draft.calls[place] = answered

    def speech(self) -> Speech:
        said = tuple(
            Said(
                "assistant" if draft.message.role == "assistant" else "user",
                tuple(draft.blocks),
                tuple(draft.calls),
                draft.message.time,
                draft.message.model,
                is_summary(draft.message),
            )
            for draft in self._drafts
            if draft.blocks or draft.calls
        )
        missing = sum(map(len, self._open.values()))
        repairs = []
        if missing:
            s = "s" * (missing > 1)
            repairs.append(f"{missing} tool call{s} without result marked as interrupted")
        if self._orphans:
            s = "s" * (self._orphans > 1)
            repairs.append(f"{self._orphans} tool result{s} without a call left out")
        return Speech(said, self._lost, tuple(repairs))


def is_summary(message: Message) -> bool:
    """Whether it stands for what was said before it."""
    made = message.extra.get("made") == "summary"
    return made or any(part.kind == "compaction" for part in message.parts)


def _words(text: str) -> str | None:
    return whole_text(text) if text.strip() else None


def _input(given: object) -> dict[str, object] | str:
    """As it comes back after having been written as JSON."""
    if isinstance(given, str):
        return whole_text(given)
    value = json.loads(compact(given))
    if isinstance(value, dict):
        return value
    return {} if value is None else {"input": value}


def image_of(native: object) -> Image | None:
    """The picture in a content block of any agent; None where its bytes are not there."""
    told = mapping_of(native)
    url = _DATA_URL.fullmatch(text_of(told.get("image_url")) or text_of(told.get("url")))
    if url:
        return _image(url[1], url[2])
    inner = mapping_of(told.get("source")) or mapping_of(told.get("inlineData")) or told
    media = text_of(inner.get("media_type")) or text_of(inner.get("mimeType"))
    return _image(media, text_of(inner.get("data")))


def _image(media: str, data: str) -> Image | None:
    whole = media.startswith("image/") and data and "__REDACTED_" not in data
    return Image(media, data) if whole else None


def _images(native: object) -> Iterator[Image]:
    told = mapping_of(native)
    content = list_of(told.get("output")) or list_of(told.get("attachments"))
    for block in content or list_of(native):
        image = image_of(block)
        if image is not None:
            yield image
