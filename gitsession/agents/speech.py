"""Extracts a conversation from its agent's form: what each side says, calls and gets back.

The result can be written in any agent's form: it is the link between two agents. Reading the
written form back gives the same conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gitsession.agents.lenient import compact, list_of, mapping_of, text_of, whole_text
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.pictures import Picture, note, sentence, too_much
from gitsession.agents.said import Call, Image, Said, Speech
from gitsession.digests import sha256
from gitsession.model.message import Message, Part

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DATA_URL = re.compile(r"data:(image/[a-z0-9.+-]+);base64,(.+)", re.DOTALL)
_NAMED_PARTS = {"file": "files", "image": "images"}
_LOST_PARTS = {**_NAMED_PARTS, "step": "steps", "patch": "patches"}


def speech(messages: Iterable[Message]) -> Speech:
    """Return all messages as things said: the assistant's by it, all others by the user."""
    gathering = _Gathering()
    for message in messages:
        gathering.take(message)
    return gathering.speech()


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
        """Return what can be said in any form; None, counted as a loss, for anything else."""
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
        """Take a call's first result as its result."""
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
        return _lighter(Speech(said, self._lost, tuple(repairs)))


def _lighter(spoken: Speech) -> Speech:
    """Replace images that are too much for one request by notes (see `pictures`)."""
    images = [
        Picture(image.media, len(image.data))
        for one in spoken.said
        for image in (*_of(one.blocks), *(image for call in one.calls for image in call.images))
    ]
    gone = too_much(images)
    if not gone:
        return spoken
    places = iter(range(len(images)))

    def light(blocks: Iterable[str | Image]) -> Iterator[str | Image]:
        for block in blocks:
            place = next(places) if isinstance(block, Image) else -1
            yield note(place, images) if place in gone else block

    def of_call(call: Call) -> Call:
        shown = tuple(light(call.images))
        notes = (block for block in shown if isinstance(block, str))
        output = "\n".join(filter(None, (call.output, *notes)))
        return call._replace(output=output, images=tuple(_of(shown)))

    said = tuple(
        one._replace(blocks=tuple(light(one.blocks)), calls=tuple(map(of_call, one.calls)))
        for one in spoken.said
    )
    return spoken._replace(said=said, repairs=(*spoken.repairs, sentence(images, gone)))


def _of(blocks: Iterable[str | Image]) -> Iterator[Image]:
    return (block for block in blocks if isinstance(block, Image))


def is_summary(message: Message) -> bool:
    """Whether the message stands for everything said before it."""
    made = message.extra.get("made") == "summary"
    return made or any(part.kind == "compaction" for part in message.parts)


def _words(text: str) -> str | None:
    return whole_text(text) if text.strip() else None


def _input(given: object) -> dict[str, object] | str:
    """Return the input as it would come back after having been written as JSON."""
    if isinstance(given, str):
        return whole_text(given)
    value = json.loads(compact(given))
    if isinstance(value, dict):
        return value
    return {} if value is None else {"input": value}


def image_of(native: object) -> Image | None:
    """Return the image in a content block of any agent; None if its bytes are missing."""
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
