"""One item of a Continue session's history in neutral terms: a message with its calls' results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitsession.agents.entries import Entry, json_or_text
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.model.message import Part, Usage

Values = dict[str, Any]

ENDED = ("done", "errored", "canceled")
"""States of a call that has its result, even if only that there is none."""


def entry_of(item: Values) -> Entry:
    """Return a message, its calls and their results; requests for a compaction are not stored."""
    message = mapping_of(item.get("message"))
    role, calls = text_of(message.get("role")), list_of(message.get("toolCalls"))
    model = text_of(mapping_of(message.get("usage")).get("model"))
    if role == "thinking":
        part = Part("reasoning", text_of(message.get("content")), native=message)
        return Entry("assistant", (part,))
    if role == "tool":
        told = "\n".join(part.text for part in _content(message.get("content")))
        return Entry(parts=(Part("tool_result", told, call_id=text_of(message.get("toolCallId"))),))
    if "conversationSummary" in item:
        summary = Part("compaction", text_of(item["conversationSummary"]))
        return Entry("assistant", (summary,), model=model, compaction=True)
    parts = [*_attached(item), *_content(message.get("content")), *_calls(calls), *_results(item)]
    return Entry(
        role if role in ("user", "assistant", "system") else "note",
        tuple(parts),
        model=model,
        usage=_usage(message.get("usage")),
        end=role == "assistant" and not calls,
    )


def _content(content: object) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Part("text", content)
        return
    for one in map(mapping_of, list_of(content)):
        kind = text_of(one.get("type"))
        if kind == "text":
            yield Part("text", text_of(one.get("text")))
        elif kind == "imageUrl":
            address = text_of(mapping_of(one.get("imageUrl")).get("url"))
            media = address.removeprefix("data:").partition(";")[0]
            name = media if address.startswith("data:") else ""
            yield Part("image", name=name, native={"url": address})
        else:
            yield Part("opaque", name=kind, native=one)


def _attached(item: Values) -> Iterator[Part]:
    """Yield the files that the user attached to the prompt, with their text."""
    for one in map(mapping_of, list_of(item.get("contextItems"))):
        yield Part("file", text_of(one.get("content")), name=text_of(one.get("name")), native=one)


def _calls(calls: list[Any]) -> Iterator[Part]:
    for call in map(mapping_of, calls):
        function = mapping_of(call.get("function"))
        yield Part("tool_call", name=text_of(function.get("name")), call_id=text_of(call.get("id")),
                   input=json_or_text(function.get("arguments")))  # fmt: skip


def _results(item: Values) -> Iterator[Part]:
    for state in map(mapping_of, list_of(item.get("toolCallStates"))):
        status, output = state.get("status"), list(map(mapping_of, list_of(state.get("output"))))
        if output or status in ENDED:
            function = mapping_of(mapping_of(state.get("toolCall")).get("function"))
            pictures = [{"url": _picture(one)} for one in output if _picture(one)]
            texts = [text_of(one.get("content")) for one in output]
            told = [text for text, one in zip(texts, output, strict=True)
                    if text or not _picture(one)]  # fmt: skip
            yield Part(
                "tool_result",
                "\n".join(told),
                name=text_of(function.get("name")),
                call_id=text_of(state.get("toolCallId")),
                error=status in ("errored", "canceled"),
                native={"attachments": pictures} if pictures else None,
            )


def _picture(output: Values) -> str:
    """Return the URL of an image next to an output if it contains the whole image; else ""."""
    address = text_of(mapping_of(output.get("uri")).get("value"))
    return address if address.startswith("data:image/") else ""


def _usage(stated: object) -> Usage | None:
    told = mapping_of(stated)
    if not told:
        return None
    beside = mapping_of(told.get("prompt_tokens_details"))
    cached = number_of(beside.get("cached_tokens")) or number_of(beside.get("cache_read_tokens"))
    written = number_of(beside.get("cache_write_tokens"))
    fresh = max(0, number_of(told.get("prompt_tokens")) - cached - written)
    return Usage(fresh, number_of(told.get("completion_tokens")), cached, written)
