"""Composes a new Codex rollout from any agent's messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.codex.records import exit_code
from gitsession.agents.codex.rewrite import new_header, title_event
from gitsession.agents.codex.settings import provider
from gitsession.agents.codex.write import rollout_path
from gitsession.agents.lenient import compact
from gitsession.agents.new_ids import new_id, time_in
from gitsession.agents.rows import derived_id
from gitsession.agents.said import NO_TIME, Call, Image, Said, turns_of
from gitsession.agents.speech import speech
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

_FAILED = "Exit code: 1\nOutput:\n"
"""How Codex says that a tool failed: it has no other marker for it."""


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or new_id()
    seconds = time_in(native_id)
    spoken = speech(messages)
    started = utc_time(seconds)
    head = new_header({}, native_id, target, started, provider(environment))
    rows = [{"timestamp": started, "type": "session_meta", "payload": head}]
    if target.title:
        rows.append(title_event(target.title, started))
    time = info.created or NO_TIME
    for number, turn in enumerate(turns_of(spoken.said)):
        for stamp, kind, payload in _turn(turn, derived_id(native_id, str(number))):
            time = stamp or time
            rows.append({"timestamp": time, "type": kind, "payload": payload})
    main = rollout_path(environment, native_id, seconds)
    data = b"".join(compact(row).encode() + b"\n" for row in rows)
    return Written(native_id, main, {main: data}, spoken.repairs)


Line = tuple[str, str, dict[str, Any]]


def _turn(turn: list[Said], turn_id: str) -> Iterator[Line]:
    yield turn[0].time, "event_msg", {"type": "task_started", "turn_id": turn_id}
    last = ""
    for one in turn:
        if one.blocks:
            yield one.time, "response_item", _message(one)
        if one.role == "user" and not one.summary:
            # Lists show a session by the text of this event.
            words = "\n".join(block for block in one.blocks if isinstance(block, str))
            event = {"type": "user_message", "message": words, "images": []}
            yield one.time, "event_msg", event
        for call in one.calls:
            yield one.time, "response_item", _call(call)
        for call in one.calls:
            yield one.time, "response_item", _output(call)
        if one.role == "assistant":
            last = next((b for b in reversed(one.blocks) if isinstance(b, str)), "")
    end = {"type": "task_complete", "turn_id": turn_id, "last_agent_message": last or None}
    yield turn[-1].time, "event_msg", end


def _message(one: Said) -> dict[str, Any]:
    kind = "output_text" if one.role == "assistant" else "input_text"
    content = [_block(block, kind) for block in one.blocks]
    return {"type": "message", "role": one.role, "content": content}


def _block(block: str | Image, kind: str) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": kind, "text": block}
    return {"type": "input_image", "image_url": f"data:{block.media};base64,{block.data}"}


def _call(call: Call) -> dict[str, Any]:
    if isinstance(call.input, str):
        return {"type": "custom_tool_call", "status": "completed", "call_id": call.call_id,
                "name": call.name, "input": call.input}  # fmt: skip
    return {"type": "function_call", "name": call.name, "arguments": compact(call.input),
            "call_id": call.call_id}  # fmt: skip


def _output(call: Call) -> dict[str, Any]:
    kind = "custom_tool_call_output" if isinstance(call.input, str) else "function_call_output"
    text = call.output
    if call.error and not exit_code({"output": text}):
        text = _FAILED + text
    output: Any = text
    if call.images or text.startswith('{"output":'):  # else it would be taken for an envelope
        output = [_block(block, "input_text") for block in call._replace(output=text).content]
    return {"type": kind, "call_id": call.call_id, "output": output}
