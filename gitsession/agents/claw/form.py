"""Claw Code's messages in neutral terms: blocks, usage, and the other kinds of lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitsession.agents.entries import Entry, Seen, json_or_text, output_text
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.agents.times import utc_time
from gitsession.model.message import Part, Usage

Values = dict[str, Any]

VERSION = 1
KINDS = ("session_meta", "compaction", "prompt_history", "message")
_ROLES = ("user", "assistant", "system", "tool")


def message_entry(value: Values) -> Entry:
    """Return a message. Results come as separate messages with the role tool or user."""
    role = text_of(value.get("role"))
    parts = [made for block in list_of(value.get("blocks")) for made in _parts(mapping_of(block))]
    only_results = bool(parts) and all(part.kind == "tool_result" for part in parts)
    if role == "tool" or only_results:
        role = ""
    elif role not in _ROLES:
        role = "note"
    calls = any(part.kind == "tool_call" for part in parts)
    return Entry(
        role,
        tuple(parts),
        usage=_usage(value.get("usage")),
        model=text_of(value.get("model")),
        end=role == "assistant" and not calls,
    )


def _parts(block: Values) -> Iterator[Part]:
    kind = text_of(block.get("type"))
    if kind == "text":
        yield Part("text", text_of(block.get("text")))
    elif kind == "thinking":
        yield Part("reasoning", text_of(block.get("thinking")), native=block)
    elif kind == "tool_use":
        call_id, name = text_of(block.get("id")), text_of(block.get("name"))
        given = json_or_text(block.get("input"))
        yield Part("tool_call", name=name, call_id=call_id, input=given, native=block)
    elif kind == "tool_result":
        yield Part(
            "tool_result",
            output_text(block.get("output")),
            name=text_of(block.get("tool_name")),
            call_id=text_of(block.get("tool_use_id")),
            error=block.get("is_error") is True,
        )
    else:
        yield Part("opaque", name=kind, native=block)


def _usage(value: object) -> Usage | None:
    stated = mapping_of(value)
    if not stated:
        return None
    return Usage(
        number_of(stated.get("input_tokens")),
        number_of(stated.get("output_tokens")),
        number_of(stated.get("cache_read_input_tokens")),
        number_of(stated.get("cache_creation_input_tokens")),
    )


def line_seen(objects: tuple[Values, ...], damaged: bool) -> Seen:
    """Return a line of the append-only format; unknown lines are kept but give no entries."""
    entries, known = [], False
    for value in objects:
        kind = value.get("type")
        known = known or (kind == "session_meta" and "session_id" in value)
        if kind == "session_meta":
            entries.append(_meta(value))
        elif kind == "message" and isinstance(value.get("message"), dict):
            entries.append(message_entry(value["message"]))
        elif kind == "compaction":
            part = Part("compaction", text_of(value.get("summary")), native=value)
            entries.append(Entry("system", (part,), compaction=True))
        elif kind == "prompt_history":
            entries.append(Entry(time=utc_time(value.get("timestamp_ms"))))
    return Seen(tuple(entries), damaged, known)


def _meta(value: Values) -> Entry:
    fork = mapping_of(value.get("fork"))
    facts = {
        "session": value.get("session_id"),
        "cwd": value.get("workspace_root"),
        "parent": fork.get("parent_session_id"),
        "time": utc_time(value.get("created_at_ms")),
    }
    return Entry(
        facts=facts, time=utc_time(value.get("updated_at_ms")), model=text_of(value.get("model"))
    )


def port_seen(value: Values, kind: str, damaged: bool) -> Seen:
    """Return a piece of the oldest format: plain texts without roles."""
    if kind == "item":
        text = value.get("")
        if not isinstance(text, str):
            return Seen((), damaged)
        return Seen((Entry("user", (Part("text", text),)),), damaged, True)
    usage = None
    if "input_tokens" in value or "output_tokens" in value:
        usage = Usage(number_of(value.get("input_tokens")), number_of(value.get("output_tokens")))
    facts = {"session": value.get("session_id")}
    entry = Entry(facts=facts, usage=usage, end=kind == "tail")
    return Seen((entry,), damaged, kind == "head" and "session_id" in value)
