"""A request in the shape of Anthropic's messages endpoint."""

from __future__ import annotations

from gitsession.context.entry import Context
from gitsession.context.readable import media_text
from gitsession.context.wire import (
    Asking,
    Json,
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

_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def anthropic(context: Context, asking: Asking) -> Json:
    """Return a body for Anthropic's messages endpoint."""
    body: Json = {"model": asking.model, "max_tokens": asking.output}
    if asking.session_id:
        body["metadata"] = {"user_id": asking.session_id[:256]}
    if system := system_text(context):
        body["system"] = system
    body["messages"] = [
        {"role": row.role, "content": [_anthropic_block(part) for part in row.parts]}
        for row in rows_of(context)
    ]
    if names := tool_names(context, asking):
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in names]
        body["tool_choice"] = {"type": "auto"}
    return body


def _anthropic_block(part: Part) -> Json:
    if part.kind == "tool_call":
        return {
            "type": "tool_use", "id": wire_id(part.call_id), "name": wire_name(part.name),
            "input": arguments(part),
        }  # fmt: skip
    if part.kind == "tool_result":
        block: Json = {"type": "tool_result", "tool_use_id": wire_id(part.call_id)}
        if part.text:
            block["content"] = clean(part.text)
        return {**block, "is_error": True} if part.error else block
    found = media_data(part)
    if found and part.kind == "image" and found[0] in _IMAGES:
        source = {"type": "base64", "media_type": found[0], "data": found[1]}
        return {"type": "image", "source": source}
    if found and found[0] == "application/pdf":
        source = {"type": "base64", "media_type": found[0], "data": found[1]}
        return {"type": "document", "source": source}
    return {"type": "text", "text": clean(media_text(part).text)}
