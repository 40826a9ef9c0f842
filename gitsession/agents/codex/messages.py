"""The conversation of a Codex session as messages: what the model saw, with typed prompts marked.

Response items are the conversation; events repeat it for the screen and are left out. Texts that
Codex itself inserted (environment, AGENTS.md, an abort notice) are messages of role `note`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gitsession.agents.codex.records import (
    OUTPUTS,
    Grouping,
    Row,
    arguments,
    exit_code,
    is_injected,
    output_text,
    rows,
    words,
)
from gitsession.agents.codex.tokens import usage_of
from gitsession.agents.drafts import MessageDraft
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of, whole_text
from gitsession.agents.times import utc_time
from gitsession.model.message import Message, Part, Usage
from gitsession.model.session import Session


def messages(session: Session) -> tuple[Message, ...]:
    """Return the conversation along the active path, without what was rolled back."""
    gathering = _Gathering()
    for index, record in enumerate(session.stream().records):
        for row in rows(record.data)[0]:
            gathering.take(index, row)
    return tuple(draft.message() for draft in gathering.drafts)


class _Gathering:
    def __init__(self) -> None:
        self.drafts: list[MessageDraft] = []
        self._grouping = Grouping()
        self._calls: dict[str, MessageDraft] = {}
        self._model = ""
        self._spent: Usage | None = None
        self._exact_usage = False

    def take(self, index: int, row: Row) -> None:
        begins = self._grouping.begins(row)
        if begins:
            self.drafts.append(self._begin(index, row))
        if row.kind == "response_item":
            self._item(row)
        elif row.kind == "compacted":
            text = whole_text(text_of(row.payload.get("message")))
            self.drafts[-1].parts.append(Part("compaction", text, native=row.payload))
            self.drafts[-1].kept = _kept(row.payload)
        elif row.kind == "turn_context":
            self._model = text_of(row.payload.get("model")) or self._model
        elif row.kind == "token_usage_record":
            self._exact_usage = True
            self._count(row.payload.get("usage"))
        elif row.kind == "event_msg":
            self._event(row)

    def _begin(self, index: int, row: Row) -> MessageDraft:
        role = _role(row)
        draft = MessageDraft(
            role, index, utc_time(row.time), native_id=text_of(row.payload.get("id"))
        )
        if role == "assistant":
            draft.model, draft.usage, self._spent = self._model, self._spent, None
        return draft

    def _item(self, row: Row) -> None:
        call_id = text_of(row.payload.get("call_id"))
        draft = self.drafts[-1]
        if row.type in OUTPUTS:
            draft = self._calls.get(call_id, draft)
            draft.answer(_result(row.payload))
            return
        if call_id:
            self._calls[call_id] = draft
        draft.parts.extend(parts(row.payload))

    def _event(self, row: Row) -> None:
        if row.type == "thread_rolled_back":
            self._roll_back(number_of(row.payload.get("num_turns")))
        elif row.type == "token_count" and not self._exact_usage:
            self._count(mapping_of(row.payload.get("info")).get("last_token_usage"))

    def _count(self, tokens: object) -> None:
        """Take in one answer's tokens. Some releases write them before its items, some after."""
        if not mapping_of(tokens):
            return
        usage = usage_of(mapping_of(tokens))
        if self._grouping.answering and self.drafts:
            self.drafts[-1].usage = usage
        else:
            self._spent = usage

    def _roll_back(self, turns: int) -> None:
        for index in range(len(self.drafts) - 1, -1, -1):
            if turns <= 0:
                return
            if self.drafts[index].role == "user":
                turns -= 1
                while index and self.drafts[index - 1].role == "note":
                    index -= 1
                del self.drafts[index:]


def _kept(compacted: dict[str, Any]) -> tuple[str, ...]:
    """Return the texts of messages that a compaction keeps verbatim: the model still sees them,
    although their records precede it."""
    history = [mapping_of(item) for item in list_of(compacted.get("replacement_history"))]
    texts = [
        "\n".join(part.text for part in parts(item) if part.kind == "text") for item in history
    ]
    return tuple(text for text in texts if text)


def _role(row: Row) -> str:
    if row.kind == "compacted":
        return "system"
    if row.type != "message":
        return "assistant"
    role = text_of(row.payload.get("role"))
    if role == "user":
        return "note" if is_injected(row.payload) else "user"
    return "assistant" if role == "assistant" else "system"


def parts(payload: dict[str, Any]) -> Iterable[Part]:
    """Return the parts of a response item that is no output; an unknown one is one opaque part."""
    kind = text_of(payload.get("type"))
    make = _PARTS.get(kind)
    if make is not None:
        return make(payload)
    return (Part("opaque", name=kind, native=payload),)


def _content(payload: dict[str, Any]) -> list[Part]:
    content = payload.get("content")
    if isinstance(content, str):
        return [Part("text", whole_text(content))]
    return [_block(block) for block in list_of(content)]


def _block(block: object) -> Part:
    value = mapping_of(block)
    kind = text_of(value.get("type"))
    if kind in ("input_text", "output_text", "text", "refusal"):
        text = text_of(value.get("text")) or text_of(value.get("refusal"))
        return Part("text", whole_text(text), native=block if kind == "refusal" else None)
    if kind == "input_image":
        return Part("image", name=_media(text_of(value.get("image_url"))), native=block)
    return Part("opaque", name=kind, native=block)


def _media(url: str) -> str:
    return url[5:40].partition(";")[0] if url.startswith("data:") else "image"


def _reasoning(payload: dict[str, Any]) -> list[Part]:
    text = words(payload.get("summary")) or words(payload.get("content"))
    return [Part("reasoning", whole_text(text), native=payload)]


def _call(payload: dict[str, Any]) -> list[Part]:
    kind = text_of(payload.get("type"))
    name = text_of(payload.get("name")) or kind.removesuffix("_call")
    call_id = text_of(payload.get("call_id"))
    native = None if kind in ("function_call", "custom_tool_call") else payload
    given = _whole(arguments(payload))
    return [Part("tool_call", name=name, call_id=call_id, input=given, native=native)]


def _result(payload: dict[str, Any]) -> Part:
    code = exit_code(payload)
    output = payload.get("output")
    failed = bool(code) or mapping_of(output).get("success") is False
    return Part(
        "tool_result",
        whole_text(output_text(payload)),
        call_id=text_of(payload.get("call_id")),
        error=failed,
        native=payload if not isinstance(output, str) else None,
    )


def _whole(value: object) -> object:
    """Return a copy without lone surrogates.

    Not recursive, since the value may be nested beyond the recursion limit.
    """
    made: list[Any] = [value]
    rest: list[list[Any] | dict[str, Any]] = [made]
    while rest:
        box: Any = rest.pop()
        for place, one in list(box.items() if isinstance(box, dict) else enumerate(box)):
            if isinstance(one, str):
                box[place] = whole_text(one)
            elif isinstance(one, list):
                box[place] = list(one)
                rest.append(box[place])
            elif isinstance(one, dict):
                box[place] = {whole_text(str(name)): inner for name, inner in one.items()}
                rest.append(box[place])
    return made[0]


def _summary(payload: dict[str, Any]) -> list[Part]:
    return [Part("compaction", native=payload)]


_PARTS: dict[str, Callable[[dict[str, Any]], list[Part]]] = {
    "message": _content,
    "reasoning": _reasoning,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _call,
    "tool_search_call": _call,
    "web_search_call": _call,
    "image_generation_call": _call,
    "compaction": _summary,
}
