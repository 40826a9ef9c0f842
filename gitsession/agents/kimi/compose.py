"""Composes a new Kimi Code session from any agent's messages."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.kimi.find import MAIN, STATE, WIRE
from gitsession.agents.kimi.write import VERSION, session_folder, state_file
from gitsession.agents.lenient import compact
from gitsession.agents.rows import derived_id
from gitsession.agents.said import Call, Image, Said
from gitsession.agents.speech import speech
from gitsession.agents.times import milliseconds
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

Row = dict[str, Any]


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or f"session_{uuid.uuid4()}"
    folder = session_folder(environment, os.path.realpath(target.cwd), native_id)
    spoken = speech(messages)
    began = milliseconds(info.created)
    rows: list[Row] = [{"type": "metadata", "protocol_version": VERSION, "created_at": began}]
    moment, turn = began, -1
    for place, one in enumerate(spoken.said):
        moment = milliseconds(one.time) if one.time else moment
        turn += one.role == "user"
        name = derived_id(native_id, str(place))
        made = _asked(one, name, turn) if one.role == "user" else _answered(one, name, max(turn, 0))
        rows += [{"agentId": MAIN, **row, "time": moment} for row in made]
        following = spoken.said[place + 1 : place + 2]
        if one.role != "user" and (not following or following[0].role == "user"):
            end = {"type": "turn.ended", "agentId": MAIN, "turnId": max(turn, 0)}
            rows.append({**end, "reason": "completed", "time": moment})
    main = folder / "agents" / MAIN / WIRE
    log = "".join(compact(row) + "\n" for row in rows).encode("utf-8", "replace")
    files = {folder / STATE: state_file(info, target, folder, {}), main: log}
    return Written(native_id, main, files, spoken.repairs)


def _asked(one: Said, name: str, turn: int) -> Iterator[Row]:
    content, origin = list(map(_block, one.blocks)), {"kind": "user"}
    prompt = {"input": content, "origin": origin, "promptId": name, "turnId": turn}
    yield {"type": "turn.prompt", **prompt}
    message = {"role": "user", "content": content, "id": name, "toolCalls": [], "origin": origin}
    yield {"type": "context.append_message", "message": message}


def _answered(one: Said, name: str, turn: int) -> Iterator[Row]:
    """Yield one step: its texts, its calls, their results."""
    inside = {"turnId": str(turn), "step": 1}
    told: list[Row] = [{"type": "step.begin", "uuid": name, **inside}]
    for number, block in enumerate(one.blocks):
        part = {"uuid": derived_id(name, "part", str(number)), **inside, "stepUuid": name}
        told.append({"type": "content.part", **part, "part": _block(block)})
    for call in one.calls:
        made = {"uuid": derived_id(name, call.call_id), **inside, "stepUuid": name}
        asked = {"toolCallId": call.call_id, "name": call.name, "args": call.arguments}
        told.append({"type": "tool.call", **made, **asked})
    told += [_result(call, derived_id(name, call.call_id)) for call in one.calls]
    reason = "tool_use" if one.calls else "end_turn"
    told.append({"type": "step.end", "uuid": name, **inside, "finishReason": reason})
    for event in told:
        yield {"type": "context.append_loop_event", "event": event}


def _result(call: Call, parent: str) -> Row:
    output: object = call.output
    if call.images:
        output = list(map(_block, call.content))
    failed = {"isError": True} if call.error else {}
    result = {"output": output, **failed}
    return {"type": "tool.result", "parentUuid": parent, "toolCallId": call.call_id,
            "result": result}  # fmt: skip


def _block(block: str | Image) -> Row:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    url = f"data:{block.media};base64,{block.data}"
    return {"type": "image_url", "imageUrl": {"url": url}}
