"""The generic format, `gitsession-generic 1`: what its lines mean, and how values become lines.

Documented in docs/reference/generic-format.md. The one-object variant has the same members in one
JSON object; its records are its head, each message with what follows it, and its tail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gitsession.agents.lenient import (
    compact,
    list_of,
    mapping_of,
    number_of,
    parse_line,
    text_of,
    whole_text,
)
from gitsession.agents.times import utc_time
from gitsession.errors import FormatError
from gitsession.model.message import PART_KINDS, Message, Part, Usage

VERSION = 1
FORMAT = f"gitsession-generic {VERSION}"
ROLES = ("user", "assistant", "system", "note")
CHAIN = "message_chain"

_HEAD = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"gitsession-generic ([0-9]{1,9})"')
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n\ufeff]*")

Values = dict[str, Any]


class Piece(NamedTuple):
    """One record: its bytes and the objects in it (none if it is damaged)."""

    data: bytes
    values: tuple[Values, ...]
    damaged: bool = False


def version_in(head: bytes) -> int:
    """Return the format number in the first bytes of a file; 0 if it is not in this format."""
    match = _HEAD.match(head)
    return int(match[1]) if match else 0


def check_version(number: int) -> None:
    """Raise FormatError for a format newer than this release knows."""
    if number > VERSION:
        raise FormatError(
            f"the file is of the form gitsession-generic {number}; this release reads up to"
            f" {VERSION}",
            hint="upgrade gitsession; the file was not touched",
        )


def is_lines(data: bytes) -> bool:
    """Whether these first bytes begin the variant with one value per line."""
    first = parse_line(data.split(b"\n", 1)[0]).objects
    return bool(first) and CHAIN not in first[0]


def line_piece(data: bytes) -> Piece:
    """Return one line of the line variant as a piece."""
    return Piece(data, *parse_line(data))


def object_pieces(data: bytes) -> list[Piece]:
    """Return the records of the one-object variant; one damaged piece for any other data."""
    try:
        text = data.decode("utf-8", "surrogatepass")
        whole = json.loads(text.lstrip("\ufeff"))
        spans = _spans(text)
    except (ValueError, RecursionError):
        return [Piece(data, (), True)]
    if not isinstance(whole, dict):
        return [Piece(data, (), True)]
    chain = list_of(whole.pop(CHAIN, None))
    head = {name: whole.pop(name) for name in ("format", "session_metadata") if name in whole}
    if not chain:
        return [Piece(data, (head, {**whole, "end": True}))]
    cuts = [0, *(start for start, _ in spans), spans[-1][1]]
    pieces = [
        text[start:end].encode("utf-8", "surrogatepass")
        for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True)
    ]
    values: list[tuple[Values, ...]] = [(head,)]
    values += [(message,) if isinstance(message, dict) else () for message in chain]
    values.append(({**whole, "end": True},))
    return [Piece(part, value) for part, value in zip(pieces, values, strict=True)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where each message of the chain begins and ends in the text of the object."""
    at = _after(text, _skip(text, 0), "{")
    spans: list[tuple[int, int]] = []
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _after(text, _skip(text, at), ":")
        if name == CHAIN and text[at] == "[":
            spans = []
            at = _skip(text, at + 1)
            while text[at] != "]":
                _, end = _DECODER.raw_decode(text, at)
                spans.append((at, end))
                at = _after(text, _skip(text, end), ",")
            at += 1
        else:
            _, at = _DECODER.raw_decode(text, at)
        at = _after(text, _skip(text, at), ",")
    return spans


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _after(text: str, at: int, mark: str) -> int:
    return _skip(text, at + 1) if text[at] == mark else at


def pieces(data: bytes) -> Iterator[Piece]:
    """Yield the records of a whole file of either variant."""
    if is_lines(data):
        start = 0
        while start < len(data):
            end = data.find(b"\n", start) + 1 or len(data)
            yield line_piece(data[start:end])
            start = end
    else:
        yield from object_pieces(data)


def line(values: Mapping[str, Any]) -> bytes:
    """Return one value as a line of the format."""
    return compact(values).encode("utf-8") + b"\n"


# Messages.


def message_of(values: Values, record: int) -> Message:
    """Return the message in a value that has a `role`."""
    role = text_of(values.get("role"))
    parts = tuple(_parts_of(values))
    extra = {"files": list_of(values.get("files"))} if values.get("files") else {}
    return Message(
        role if role in ROLES else "note",
        parts,
        time=utc_time(values.get("timestamp")),
        model=text_of(values.get("model")),
        native_id=text_of(values.get("id")),
        record=record,
        usage=_usage_of(values.get("usage")),
        extra=extra,
    )


def _parts_of(values: Values) -> Iterator[Part]:
    if isinstance(values.get("parts"), list):
        for part in values["parts"]:
            yield _part_of(mapping_of(part))
        return
    content = values.get("content")
    if isinstance(content, str):
        if content:
            yield Part("text", whole_text(content))
    elif content is not None:
        yield Part("opaque", name="content", native=content)
    for call in list_of(values.get("tool_calls")):
        yield from _call_of(mapping_of(call))


def _call_of(call: Values) -> Iterator[Part]:
    call_id, name = text_of(call.get("id")), text_of(call.get("type"))
    yield Part("tool_call", name=name, call_id=call_id, input=call.get("input"))
    if "output" in call:
        yield result_of(call_id, call["output"], error=call.get("error") is True)


def result_of(call_id: str, output: object, *, error: bool) -> Part:
    """Return a tool's output as a Part: text as it is, any other value also kept in `native`."""
    if isinstance(output, str):
        return Part("tool_result", whole_text(output), call_id=call_id, error=error)
    return Part("tool_result", compact(output), call_id=call_id, error=error, native=output)


def _part_of(values: Values) -> Part:
    kind = text_of(values.get("kind"))
    if kind not in PART_KINDS:
        return Part("opaque", name=kind, native=values)
    return Part(
        kind,
        text=whole_text(text_of(values.get("text"))),
        name=text_of(values.get("name")),
        call_id=text_of(values.get("call_id")),
        input=values.get("input"),
        error=values.get("error") is True,
        synthetic=values.get("synthetic") is True,
        native=values.get("native"),
    )


def _usage_of(values: object) -> Usage | None:
    given = mapping_of(values)
    if not given:
        return None
    return Usage(
        number_of(given.get("input")),
        number_of(given.get("output")),
        number_of(given.get("cache_read")),
        number_of(given.get("cache_write")),
    )


def message_values(message: Message) -> Values:
    """Return a message in the format; `parts` only if text and calls alone would lose some."""
    values: Values = {
        "role": message.role,
        "content": message.text,
        "files": list_of(message.extra.get("files")),
        "timestamp": message.time,
        "tool_calls": list(_calls_in(message.parts)),
    }
    for name, value in (("id", message.native_id), ("model", message.model)):
        if value:
            values[name] = value
    if message.usage is not None:
        usage = message.usage
        values["usage"] = {
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
        }
    if tuple(_parts_of(values)) != message.parts:
        values["parts"] = [_part_values(part) for part in message.parts]
    return values


def _calls_in(parts: Iterable[Part]) -> Iterator[Values]:
    results = {part.call_id: part for part in parts if part.kind == "tool_result"}
    for part in parts:
        if part.kind != "tool_call":
            continue
        call: Values = {"id": part.call_id, "type": part.name, "input": part.input}
        result = results.get(part.call_id)
        if result is not None:
            call["output"] = result.text if result.native is None else result.native
            if result.error:
                call["error"] = True
        yield call


def _part_values(part: Part) -> Values:
    values: Values = {"kind": part.kind}
    for name in ("text", "name", "call_id", "input", "error", "synthetic", "native"):
        value = getattr(part, name)
        if value not in ("", None, False):
            values[name] = value
    return values
