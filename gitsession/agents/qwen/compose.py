"""Composes a new Qwen Code session from any agent's messages."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import Any

from gitsession.agents import parts
from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import compact
from gitsession.agents.qwen.find import chats
from gitsession.agents.rows import derived_id
from gitsession.agents.said import NO_TIME, Call, Said
from gitsession.agents.speech import speech
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

_VERSION = "0.24.4"


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or str(uuid.uuid4())
    spoken = speech(messages)
    rows = [row for one in spoken.said for row in _rows(one)]
    if target.title:
        title = {"customTitle": " ".join(target.title.split()), "titleSource": "manual"}
        rows.append({"type": "system", "subtype": "custom_title", "systemPayload": title})
    parent, time = None, info.created or NO_TIME
    lines: list[str] = []
    for number, row in enumerate(rows):
        time = row.pop("timestamp", "") or time
        name = derived_id(native_id, str(number))
        kind = {"type": row.pop("type"), "cwd": target.cwd, "version": _VERSION}
        head = {"uuid": name, "parentUuid": parent, "sessionId": native_id, "timestamp": time}
        lines.append(compact({**head, **kind, **row}) + "\n")
        parent = name
    main = chats(environment, os.path.realpath(target.cwd)) / f"{native_id}.jsonl"
    return Written(native_id, main, {main: "".join(lines).encode()}, spoken.repairs)


def _rows(one: Said) -> Iterator[dict[str, Any]]:
    told = [parts.native_of(block) for block in one.blocks]
    if one.role == "user":
        message = {"role": "user", "parts": told}
        yield {"type": "user", "timestamp": one.time, "provenance": "real_user", "message": message}
        return
    told += [
        {"functionCall": {"id": call.call_id, "name": call.name, "args": call.arguments}}
        for call in one.calls
    ]
    answer = {"type": "assistant", "timestamp": one.time, "provenance": "assistant_output",
              "message": {"role": "model", "parts": told}}  # fmt: skip
    yield {**answer, "model": one.model} if one.model else answer
    for call in one.calls:
        yield {"timestamp": one.time, **_result(call)}


def _result(call: Call) -> dict[str, Any]:
    told = [parts.native_result(call), *map(parts.native_of, call.images)]
    return {
        "type": "tool_result",
        "provenance": "tool_result",
        "message": {"role": "user", "parts": told},
        "toolCallResult": {
            "callId": call.call_id,
            "status": "error" if call.error else "success",
        },
    }
