"""Writes any session as a full export of one LobeChat topic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from gitsession.agents.lenient import compact, whole_text
from gitsession.agents.rows import derived_id
from gitsession.model.message import Message, Usage
from gitsession.model.session import Session

Values = dict[str, Any]


def dump(session: Session, messages: Iterable[Message]) -> bytes:
    """Return the conversation with new ids.

    Each message names the one before; results are the tool messages that their calls name.
    """
    rows: list[Values] = []
    for number, message in enumerate(messages):
        for row in _rows(message, derived_id(session.info.native_id, "lobe", str(number))):
            row["parentId"] = rows[-1]["id"] if rows else None
            rows.append(row)
    value = {
        "version": "2.0",
        "exportedAt": session.info.updated,
        "title": session.info.title,
        "messages": rows,
    }
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return whole_text(text).encode("utf-8") + b"\n"


def _rows(message: Message, name: str) -> Iterator[Values]:
    row: Values = {
        "id": name,
        "role": "system" if message.role == "note" else message.role,
        "content": "\n".join(p.text for p in message.parts if p.kind in ("text", "compaction")),
        "createdAt": message.time,
    }
    thoughts = "\n".join(part.text for part in message.parts if part.kind == "reasoning")
    if thoughts:
        row["reasoning"] = {"content": thoughts}
    if message.model:
        row["model"] = message.model
    calls = [part for part in message.parts if part.kind == "tool_call"]
    if calls:
        row["tools"] = [
            {
                "id": part.call_id,
                "apiName": part.name,
                "identifier": part.name,
                "type": "default",
                "arguments": part.input if isinstance(part.input, str) else compact(part.input),
            }
            for part in calls
        ]
    if message.usage is not None:
        row["metadata"] = _spent(message.usage)
    yield row
    for number, part in enumerate(message.parts):
        if part.kind == "tool_result":
            answer: Values = {
                "id": derived_id(name, str(number)),
                "role": "tool",
                "content": part.text,
                "tool_call_id": part.call_id,
                "createdAt": message.time,
            }
            if part.error:
                answer["pluginError"] = {"message": part.text}
            yield answer


def _spent(usage: Usage) -> Values:
    return {
        "totalInputTokens": usage.input + usage.cache_read + usage.cache_write,
        "inputCachedTokens": usage.cache_read,
        "inputWriteCacheTokens": usage.cache_write,
        "totalOutputTokens": usage.output,
    }
