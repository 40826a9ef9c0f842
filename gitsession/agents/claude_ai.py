"""The adapter for the data export of Claude.ai: each conversation is one list of messages."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.agents.chat_exports import ChatExport
from gitsession.agents.entries import Entry, Seen, output_text
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.reading import Values
from gitsession.agents.times import utc_time
from gitsession.model.message import Part

NAME = "claude-ai"
_ROLES = {"human": "user", "assistant": "assistant"}


class ClaudeAi(ChatExport):
    """See `agents.base.Agent`."""

    name = NAME
    title = "Claude.ai export"
    container = "chat_messages"
    id_keys = ("uuid",)
    title_key = "name"

    def understand(self, kind: str, value: Values, damaged: bool) -> Seen:
        if kind == "item":
            return Seen((_message(value),), damaged, "sender" in value)
        facts = {
            "title": value.get("name"),
            "session": value.get("uuid"),
            "time": utc_time(value.get("created_at")),
        }
        entry = Entry(facts=facts, model=text_of(value.get("model")), end=kind == "tail")
        return Seen((entry,), damaged)


def _message(value: Values) -> Entry:
    name = text_of(value.get("uuid"))
    content = list_of(value.get("content"))
    parts = list(_parts(content, name)) if content else []
    if not any(part.kind == "text" and part.text for part in parts) and text_of(value.get("text")):
        parts.append(Part("text", value["text"]))
    for attached in map(mapping_of, list_of(value.get("attachments"))):
        text, label = text_of(attached.get("extracted_content")), text_of(attached.get("file_name"))
        parts.append(Part("file", text, name=label, native=attached))
    for file in map(mapping_of, list_of(value.get("files"))):
        parts.append(Part("file", name=text_of(file.get("file_name")), native=file))
    return Entry(
        _ROLES.get(text_of(value.get("sender")), "note"),
        tuple(parts),
        utc_time(value.get("created_at")),
        native_id=name,
        parent=text_of(value.get("parent_message_uuid")),
    )


def _parts(content: list[object], name: str) -> Iterator[Part]:
    """Yield the blocks as parts. Tool blocks may lack ids: then a result answers the last call."""
    last = ""
    for number, block in enumerate(map(mapping_of, content)):
        kind = text_of(block.get("type"))
        if kind == "text":
            yield Part("text", text_of(block.get("text")))
        elif kind == "thinking":
            yield Part("reasoning", text_of(block.get("thinking")), native=block)
        elif kind == "tool_use":
            last = text_of(block.get("id")) or f"{name}:{number}"
            yield Part("tool_call", name=text_of(block.get("name")), call_id=last,
                       input=block.get("input"), native=block)  # fmt: skip
        elif kind == "tool_result":
            call_id = text_of(block.get("tool_use_id")) or last
            yield Part("tool_result", output_text(block.get("content")), call_id=call_id,
                       error=block.get("is_error") is True)  # fmt: skip
        else:
            yield Part("opaque", name=kind, native=block)


AGENT = ClaudeAi()
