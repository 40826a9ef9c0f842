"""A request in the shape of OpenAI's chat completions, which most other providers accept as
well."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from gitsession.context.entry import Context
from gitsession.context.readable import media_text
from gitsession.context.wire import (
    Asking,
    Json,
    Row,
    arguments,
    clean,
    media_data,
    rows_of,
    system_text,
    tool_names,
    wire_id,
    wire_name,
)
from gitsession.model.message import Part


def openai(context: Context, asking: Asking) -> Json:
    """Return a body for OpenAI's chat completions, which most other providers accept as well."""
    messages: list[Json] = []
    if system := system_text(context):
        messages.append({"role": "system", "content": system})
    for row in rows_of(context):
        messages += _openai_rows(row)
    body: Json = {"model": asking.model, "messages": messages}
    if names := tool_names(context, asking):
        body["tools"] = [
            {"type": "function", "function": {"name": n, "parameters": _ANY}} for n in names
        ]
        body["tool_choice"] = "auto"
    if asking.session_id:
        body["metadata"] = {"session_id": asking.session_id[:512]}
    return body


_ANY: Json = {"type": "object", "properties": {}, "additionalProperties": True}


def _openai_rows(row: Row) -> Iterator[Json]:
    for part in row.parts:
        if part.kind == "tool_result":
            content = f"Error: {part.text}" if part.error else part.text
            yield {
                "role": "tool", "tool_call_id": wire_id(part.call_id), "content": clean(content)
            }  # fmt: skip
    said = [part for part in row.parts if part.kind not in ("tool_result", "tool_call")]
    calls = [part for part in row.parts if part.kind == "tool_call"]
    if row.role == "assistant":
        yield _openai_answer(said, calls)
    elif said:
        yield {"role": "user", "content": _openai_content(said)}


def _openai_answer(said: Sequence[Part], calls: Sequence[Part]) -> Json:
    text = clean("\n".join(media_text(part).text for part in said))
    answer: Json = {"role": "assistant", "content": text or None}
    if calls:
        answer["tool_calls"] = [
            {
                "id": wire_id(part.call_id),
                "type": "function",
                "function": {
                    "name": wire_name(part.name),
                    "arguments": json.dumps(arguments(part), ensure_ascii=False),
                },
            }
            for part in calls
        ]
    return answer


def _openai_content(said: Sequence[Part]) -> str | list[Json]:
    if all(media_data(part) is None for part in said):
        return clean("\n".join(media_text(part).text for part in said))
    blocks: list[Json] = []
    for part in said:
        found = media_data(part)
        if found and part.kind == "image":
            address = f"data:{found[0]};base64,{found[1]}"
            blocks.append({"type": "image_url", "image_url": {"url": address}})
        else:
            blocks.append({"type": "text", "text": clean(media_text(part).text)})
    return blocks
