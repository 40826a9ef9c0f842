"""Content parts as in the Gemini API: text, thought, call, response, data.

Gemini CLI and Qwen Code store them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from gitsession.agents.lenient import compact, list_of, mapping_of, text_of
from gitsession.agents.work import Result
from gitsession.model.message import Part

if TYPE_CHECKING:
    from gitsession.agents.said import Call, Image

NativePart = dict[str, Any]


def native_parts(content: object) -> list[NativePart]:
    """Return the parts of a content, which may be one part, a list of parts, or a string."""
    if isinstance(content, str):
        return [{"text": content}]
    if isinstance(content, dict):
        return [content]
    return [{"text": p} if isinstance(p, str) else mapping_of(p) for p in list_of(content)]


def text_in(content: object) -> str:
    """Return what is said, without thoughts, joined as the agents join it."""
    return "".join(
        text_of(part.get("text")) for part in native_parts(content) if not part.get("thought")
    )


def calls(content: object) -> Iterator[tuple[str, str, object]]:
    """Yield tool calls: id, tool name, arguments."""
    for part in native_parts(content):
        call = part.get("functionCall")
        if isinstance(call, dict):
            yield text_of(call.get("id")), text_of(call.get("name")), call.get("args")


def responses(content: object) -> Iterator[NativePart]:
    """Yield the function responses among the parts."""
    for part in native_parts(content):
        if isinstance(part.get("functionResponse"), dict):
            yield part["functionResponse"]


def is_only_responses(content: object) -> bool:
    """Whether the parts are only results (and data that belongs to one)."""
    parts = native_parts(content)
    return any("functionResponse" in part for part in parts) and not text_in(content).strip()


def output_of(response: NativePart) -> str:
    """Return the text of a function response: its output or its error."""
    told = response.get("response")
    if isinstance(told, dict):
        for key in ("output", "error", "content"):
            if isinstance(told.get(key), str):
                return text_of(told[key])
    if isinstance(told, str):
        return told
    return compact(told) if told else ""


def is_error(response: NativePart) -> bool:
    told = mapping_of(response.get("response"))
    return "error" in told and "output" not in told


def result_part(
    response: NativePart, *, failed: bool = False, beside: Iterable[NativePart] = ()
) -> Part:
    """Return a result; data next to the response in the same content belongs to it."""
    data = [part for part in beside if "inlineData" in part or "fileData" in part]
    return Part(
        "tool_result",
        output_of(response),
        call_id=text_of(response.get("id")),
        error=failed or is_error(response),
        native=data or None,
    )


def native_of(block: str | Image) -> NativePart:
    """Return a text or an image as a native part."""
    if isinstance(block, str):
        return {"text": block}
    return {"inlineData": {"mimeType": block.media, "data": block.data}}


def native_result(call: Call) -> NativePart:
    """Return the result of a call as a function response."""
    response = {"error" if call.error else "output": call.output}
    return {"functionResponse": {"id": call.call_id, "name": call.name, "response": response}}


def call_part(call_id: str, name: str, arguments: object) -> Part:
    return Part("tool_call", name=name, call_id=call_id, input=arguments)


def part_of(native: NativePart) -> Part:
    """Return one native part as a Part; an unknown one is kept whole as an opaque part."""
    if isinstance(native.get("functionCall"), dict):
        call = native["functionCall"]
        return call_part(text_of(call.get("id")), text_of(call.get("name")), call.get("args"))
    if isinstance(native.get("functionResponse"), dict):
        return result_part(native["functionResponse"])
    if isinstance(native.get("text"), str):
        if native.get("thought"):
            return Part("reasoning", native["text"], native=native)
        return Part("text", native["text"])
    data = mapping_of(native.get("inlineData")) or mapping_of(native.get("fileData"))
    media = text_of(data.get("mimeType"))
    if data:
        name = text_of(data.get("displayName")) or media
        return Part("image" if media.startswith("image/") else "file", name=name, native=native)
    return Part("opaque", name=next(iter(native), ""), native=native)


def work_result(output: str, display: object, status: object, *, failed: bool) -> Result:
    """Return a Result with what a tool's display adds: the file after an edit, the exit code."""
    told = mapping_of(display)
    after, code = told.get("newContent"), told.get("exitCode")
    bad = failed or status in ("error", "cancelled")
    if isinstance(display, str) and display and output.startswith("<untrusted_context>"):
        output = display
    return Result(
        text_of(told.get("output")) or output,
        bad,
        code if isinstance(code, int) else None,
        after if isinstance(after, str) else None,
    )


def without_masked_signatures(parts: list[NativePart]) -> tuple[list[NativePart], int]:
    """Return the parts without signatures that redaction changed, and how many parts were affected.

    A thought is removed as a whole, also if only its words were masked: the signature covers the
    original words.
    """
    kept, count = [], 0
    for part in parts:
        masked = "REDACTED" in text_of(part.get("thoughtSignature"))
        thought = bool(part.get("thought"))
        if not masked and not (thought and "__REDACTED_" in text_of(part.get("text"))):
            kept.append(part)
            continue
        count += 1
        if not thought:
            kept.append({key: value for key, value in part.items() if key != "thoughtSignature"})
    return kept, count
