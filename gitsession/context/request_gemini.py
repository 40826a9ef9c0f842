"""A request in the shape of Gemini's generateContent."""

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
    wire_name,
)
from gitsession.model.message import Part


def gemini(context: Context, asking: Asking) -> Json:
    """Return a body for Gemini's generateContent, whose URL has to name the model as well."""
    model = asking.model if "/" in asking.model else f"models/{asking.model}"
    body: Json = {"model": model}
    if system := system_text(context):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    names = {
        p.call_id: wire_name(p.name)
        for m in context.messages
        for p in m.parts
        if p.kind == "tool_call"
    }
    body["contents"] = [
        {
            "role": "model" if row.role == "assistant" else "user",
            "parts": [_gemini_part(part, names) for part in row.parts],
        }
        for row in rows_of(context)
    ]
    if tools := tool_names(context, asking):
        body["tools"] = [
            {"functionDeclarations": [{"name": name, "description": name} for name in tools]}
        ]
        body["toolConfig"] = {"functionCallingConfig": {"mode": "AUTO"}}
    body["generationConfig"] = {"maxOutputTokens": asking.output}
    return body


def _gemini_part(part: Part, names: dict[str, str]) -> Json:
    if part.kind == "tool_call":
        return {"functionCall": {"name": wire_name(part.name), "args": arguments(part)}}
    if part.kind == "tool_result":
        said = {"error" if part.error else "output": clean(part.text)}
        return {"functionResponse": {"name": names.get(part.call_id, "tool"), "response": said}}
    found = media_data(part)
    if found:
        return {"inlineData": {"mimeType": found[0], "data": found[1]}}
    return {"text": clean(media_text(part).text)}
