"""Composes a new pi session from any agent's messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import compact
from gitsession.agents.new_ids import new_id, time_in
from gitsession.agents.pi.write import entry_id, header, session_path
from gitsession.agents.said import NO_TIME, Call, Image, Said
from gitsession.agents.speech import speech
from gitsession.agents.times import milliseconds, utc_time
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

_COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
_USAGE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": _COST}


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or new_id()
    seconds = time_in(native_id)
    spoken = speech(messages)
    rows = [header(info, target, native_id, utc_time(seconds))]
    parent, time = None, info.created or NO_TIME
    entries: Iterator[dict[str, Any]] = (entry for one in spoken.said for entry in _entries(one))
    for number, entry in enumerate(entries):
        time = entry.pop("timestamp") or time
        name = entry_id(native_id, "composed", str(number))
        if "message" in entry:
            entry["message"]["timestamp"] = milliseconds(time)
        rows.append({"type": "message", "id": name, "parentId": parent, "timestamp": time, **entry})
        parent = name
    if target.title:
        title = {"type": "session_info", "id": entry_id(native_id, "title"), "parentId": parent}
        rows.append({**title, "timestamp": time, "name": " ".join(target.title.split())})
    main = session_path(environment, target.cwd, native_id, seconds)
    data = b"".join(compact(row).encode() + b"\n" for row in rows)
    return Written(native_id, main, {main: data}, spoken.repairs)


def _entries(one: Said) -> Iterator[dict[str, Any]]:
    content = [_block(block) for block in one.blocks]
    if one.role == "user":
        yield {"timestamp": one.time, "message": {"role": "user", "content": content}}
        return
    content += [
        {"type": "toolCall", "id": call.call_id, "name": call.name, "arguments": call.arguments}
        for call in one.calls
    ]
    answer = {
        "role": "assistant", "content": content, "api": "openai-completions",
        "provider": "gitsession", "model": one.model or "unknown", "usage": _USAGE,
        "stopReason": "toolUse" if one.calls else "stop",
    }  # fmt: skip
    yield {"timestamp": one.time, "message": answer}
    for call in one.calls:
        yield {"timestamp": one.time, "message": _result(call)}


def _block(block: str | Image) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    return {"type": "image", "data": block.data, "mimeType": block.media}


def _result(call: Call) -> dict[str, Any]:
    content = [_block(block) for block in call.content]
    return {"role": "toolResult", "toolCallId": call.call_id, "toolName": call.name,
            "content": content, "isError": call.error}  # fmt: skip
