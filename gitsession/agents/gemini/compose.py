"""Composes a new Gemini CLI session from any agent's messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitsession.agents import parts
from gitsession.agents.base import Target, Written
from gitsession.agents.gemini.records import remembered
from gitsession.agents.gemini.write import written
from gitsession.agents.new_ids import new_random_id
from gitsession.agents.rows import derived_id
from gitsession.agents.said import NO_TIME, Call, Said
from gitsession.agents.speech import speech
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or new_random_id()
    spoken = speech(messages)
    rows = _rows(spoken.said, info.created or NO_TIME, native_id)
    return written(info, rows, target, native_id, environment, spoken.repairs)


def _rows(said: tuple[Said, ...], time: str, native_id: str) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(said):
        time = one.time or time
        row = {"id": derived_id(native_id, str(number)), "timestamp": time}
        content = [parts.native_of(block) for block in one.blocks]
        if one.role == "user":
            yield {**row, "type": "user", "content": remembered(content)}
            continue
        answer = {**row, "type": "gemini", "content": content or "", "thoughts": []}
        if one.model:
            answer["model"] = one.model
        if one.calls:
            answer["toolCalls"] = [_call(call, time) for call in one.calls]
        yield answer


def _call(call: Call, time: str) -> dict[str, Any]:
    return {
        "id": call.call_id,
        "name": call.name,
        "args": call.arguments,
        "result": [parts.native_result(call), *map(parts.native_of, call.images)],
        "status": "error" if call.error else "success",
        "timestamp": time,
    }
