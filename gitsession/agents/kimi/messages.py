"""The conversation of a Kimi Code session as messages, along the branch that is shown."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.agents.drafts import MessageDraft
from gitsession.agents.entries import json_or_text
from gitsession.agents.kimi.blobs import with_bytes
from gitsession.agents.kimi.records import (
    Row,
    call,
    event,
    message,
    result,
    role,
    summary,
    text_in,
    time_of,
    usage,
)
from gitsession.agents.kimi.shown import shown, undone
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.agents.links import rows_of
from gitsession.model.message import Message, Part
from gitsession.model.session import Session


def messages(session: Session) -> tuple[Message, ...]:
    """Return one Message per prompt, answer step, note, compaction; results follow their calls."""
    rows, records = rows_of(session.stream())
    gathering = _Gathering()
    for position in shown(rows, records):
        gathering.take(rows[position], records[position])
    for draft in gathering.drafts:
        draft.parts = draft.parts or [Part("text")]
    found = tuple(draft.message() for draft in gathering.drafts)
    return with_bytes(found, session)


class _Gathering:
    def __init__(self) -> None:
        self.drafts: list[MessageDraft] = []
        self._calls: dict[str, MessageDraft] = {}
        self._step: MessageDraft | None = None
        self._model = ""

    def take(self, row: Row, record: int) -> None:
        kind = row.get("type")
        if message(row):
            self._message(message(row), row, record)
        elif event(row):
            self._event(event(row), row, record)
        elif kind == "context.apply_compaction":
            draft = self._begin("system", row, record)
            draft.parts.append(Part("compaction", summary(row)))
            draft.kept = self._kept(row)
        elif kind == "context.clear":
            self.drafts.clear()
        elif kind == "llm.request":
            self._model = text_of(row.get("model"))
        elif undone(row):
            self._undo(undone(row))

    def _begin(self, name: str, row: Row, record: int, native_id: str = "") -> MessageDraft:
        self.drafts.append(MessageDraft(name, record, time_of(row), native_id=native_id))
        return self.drafts[-1]

    def _message(self, told: Row, row: Row, record: int) -> None:
        parts = list(_parts(told.get("content")))
        if told.get("role") == "tool":
            given = [part.native for part in parts if part.kind == "image"]
            text = text_in(told.get("content"))
            self._answer(text_of(told.get("toolCallId")), text, bool(told.get("isError")), given)
            return
        draft = self._begin(role(told), row, record, text_of(told.get("id")))
        draft.parts = parts
        for made in map(mapping_of, list_of(told.get("toolCalls"))):
            named = mapping_of(made.get("function")) or made  # as in the first releases
            name, given_id = text_of(named.get("name")), text_of(made.get("id"))
            self._call(draft, given_id, name, json_or_text(named.get("arguments")))

    def _event(self, told: Row, row: Row, record: int) -> None:
        kind = told.get("type")
        if kind in ("content.part", "tool.call"):
            draft = self._of_step(text_of(told.get("stepUuid")), row, record)
            if kind == "content.part":
                draft.parts.append(_part(told.get("part")))
            else:
                self._call(draft, *call(told))
        elif kind == "tool.result":
            call_id, text, failed = result(told)
            output = mapping_of(told.get("result")).get("output")
            given = [part.native for part in _parts(output) if part.kind == "image"]
            self._answer(call_id, text, failed, given)
        elif kind == "step.end" and self._step and self._step.native_id == told.get("uuid"):
            self._step.usage = usage(told.get("usage"))

    def _of_step(self, step: str, row: Row, record: int) -> MessageDraft:
        if self._step is None or self._step.native_id != step or not step:
            self._step = self._begin("assistant", row, record, step)
            self._step.model = self._model
        return self._step

    def _call(self, draft: MessageDraft, call_id: str, name: str, arguments: object) -> None:
        self._calls[call_id] = draft
        draft.parts.append(Part("tool_call", name=name, call_id=call_id, input=arguments))

    def _answer(self, call_id: str, text: str, failed: bool, given: list[object]) -> None:
        """Take a call's first result as its result."""
        draft = self._calls.pop(call_id, None)
        if draft is None:
            return
        native = given or None
        draft.answer(Part("tool_result", text, call_id=call_id, error=failed, native=native))

    def _kept(self, row: Row) -> tuple[str, ...]:
        """Return the texts of the prompts that a compaction keeps verbatim."""
        texts = [draft.message().text for draft in self.drafts if draft.role == "user"]
        count = number_of(row.get("keptUserMessageCount"))
        first = min(number_of(row.get("keptHeadUserMessageCount")), count)
        last = min(count - first, len(texts))
        return (*texts[:first], *(texts[-last:] if last > 0 else ()))

    def _undo(self, prompts: int) -> None:
        for place in range(len(self.drafts) - 1, -1, -1):
            if prompts <= 0:
                return
            prompts -= self.drafts[place].role == "user"
            if prompts <= 0:
                del self.drafts[place:]


def _parts(content: object) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part("text", content)
        return
    yield from map(_part, list_of(content))


def _part(block: object) -> Part:
    told = mapping_of(block)
    kind = text_of(told.get("type"))
    if kind == "text":
        return Part("text", text_of(told.get("text")))
    if kind == "think":
        return Part("reasoning", text_of(told.get("think")), native=block)
    if kind == "image_url":
        shown_at = mapping_of(told.get("imageUrl"))
        return Part("image", name=_media(text_of(shown_at.get("url"))), native=shown_at)
    return Part("opaque", name=kind, native=block)


def _media(url: str) -> str:
    head, _, rest = url[:120].partition(":")
    return rest.partition(";")[0] if head in ("data", "blobref") else "image"
