"""The adapter for ChatGPT's data export: each conversation is a tree that names the node shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.chat_exports import ChatExport
from gitsession.agents.chatgpt import branches as chatgpt_branches
from gitsession.agents.entries import Draft, Entry, Seen
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.reading import Values
from gitsession.agents.times import utc_time
from gitsession.model.message import Part

NAME = "chatgpt"


class ChatGPT(ChatExport):
    """See `agents.base.Agent`. A record is a node of the tree. Each branch that a conversation does
    not show is a session of its own."""

    name = NAME
    title = "ChatGPT export"
    container = "mapping"
    opens = "{"
    id_keys = ("conversation_id", "id")
    capabilities = ChatExport.capabilities._replace(tree=True)

    def look(self, path: Path) -> Iterator[Source]:
        for source in super().look(path):
            yield source
            for line in chatgpt_branches.hidden(_document(super().bytes_of(source))):
                title = f"{source.title} ({line.place})" if source.title else ""
                name = f"{source.native_id}.{line.name}"
                yield source._replace(native_id=name, title=title)

    def bytes_of(self, source: Source) -> bytes:
        data = super().bytes_of(source)
        whole, dot, name = source.native_id.rpartition(".")
        if data or not dot:
            return data
        values = _document(super().bytes_of(source._replace(native_id=whole)))
        lines = (line for line in chatgpt_branches.hidden(values) if line.name == name)
        return next((chatgpt_branches.as_bytes(one, source.native_id) for one in lines), b"")

    def understand(self, kind: str, value: Values, damaged: bool) -> Seen:
        if kind == "item":
            entries = tuple(_node(name, mapping_of(node)) for name, node in value.items())
            return Seen(entries, damaged, bool(entries))
        facts = {
            "title": value.get("title"),
            "session": value.get("conversation_id"),
            "current": value.get("current_node"),
            "time": utc_time(value.get("create_time")),
        }
        return Seen((Entry(facts=facts, end=kind == "tail"),), damaged)

    def path(self, drafts: list[Draft], facts: Mapping[str, object]) -> list[Draft]:
        """Return the path from the root to the shown node; without such a node, all messages."""
        links = mapping_of(facts.get("links"))
        names = {draft.entry.native_id: draft for draft in drafts}
        found: list[Draft] = []
        at, walked = text_of(facts.get("current")), set[str]()
        while at and at not in walked:
            walked.add(at)
            if at in names:
                found.append(names[at])
            at = names[at].entry.parent if at in names else text_of(links.get(at))
        return found[::-1] or drafts


def _document(data: bytes) -> Values:
    try:
        return mapping_of(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def _node(name: str, node: Values) -> Entry:
    message, parent = mapping_of(node.get("message")), text_of(node.get("parent"))
    if not message:
        return Entry(native_id=name, parent=parent)
    role = text_of(mapping_of(message.get("author")).get("role"))
    metadata = mapping_of(message.get("metadata"))
    parts = list(_parts(mapping_of(message.get("content"))))
    recipient = text_of(message.get("recipient"))
    if role == "assistant" and recipient not in ("", "all"):
        text = "\n".join(part.text for part in parts)
        parts = [Part("tool_call", name=recipient, call_id=name, input=text)]
    elif role == "tool":
        text = "\n".join(part.text for part in parts if part.text)
        parts, role = [Part("tool_result", text, call_id=parent)], ""
    elif role == "system" and not any(part.text for part in parts):
        return Entry(native_id=name, parent=parent)
    elif role == "user" and metadata.get("is_user_system_message"):
        role = "note"
    return Entry(
        role if role in ("user", "assistant", "system", "") else "note",
        tuple(parts),
        utc_time(message.get("create_time")),
        text_of(metadata.get("model_slug")),
        name,
        parent=parent,
    )


def _parts(content: Values) -> Iterator[Part]:
    kind = text_of(content.get("content_type"))
    if kind == "thoughts":
        for thought in map(mapping_of, list_of(content.get("thoughts"))):
            texts = (text_of(thought.get("summary")), text_of(thought.get("content")))
            yield Part("reasoning", "\n".join(filter(None, texts)), native=thought)
    elif isinstance(content.get("parts"), list):
        for item in content["parts"]:
            told = mapping_of(item)
            if isinstance(item, str):
                yield Part("text", item)
            elif "image" in text_of(told.get("content_type")):
                yield Part("image", name=text_of(told.get("asset_pointer")), native=told)
            elif isinstance(told.get("text"), str):
                yield Part("text", told["text"])
            else:
                yield Part("opaque", name=text_of(told.get("content_type")), native=item)
    elif isinstance(content.get("text"), str):
        yield Part("text", content["text"])
    elif isinstance(content.get("content"), str):
        yield Part("reasoning" if kind == "reasoning_recap" else "text", content["content"])
    elif content:
        yield Part("opaque", name=kind, native=content)


AGENT = ChatGPT()
