"""Messages as lines of a Codex rollout: the content of a checkout within a budget."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from gitsession.agents.lenient import compact
from gitsession.model.message import Message, Part
from gitsession.model.record import Record
from gitsession.model.session import Session

_NO_TIME = "1970-01-01T00:00:00.000Z"


def records(session: Session, messages: Sequence[Message]) -> tuple[Record, ...]:
    """Return the session's own header, then one line for each text, call and result.

    The agent's instructions are in the header.
    """
    header = session.stream().records[:1]
    lines = (
        Record(compact(line).encode("utf-8", "replace") + b"\n")
        for line in _lines(session, messages)
    )
    return (*header, *lines)


def _lines(session: Session, messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    time = session.info.created or _NO_TIME
    for place, message in enumerate(messages):
        time = message.time or time
        if message.role == "system" and not place and not message.extra.get("made"):
            continue  # the agent's instructions, which are in the header
        for part in message.parts:
            payload = _payload(message, part)
            yield {"timestamp": time, "type": "response_item", "payload": payload}


def _payload(message: Message, part: Part) -> dict[str, Any]:
    if part.kind == "tool_call":
        given = part.input if isinstance(part.input, str) else json.dumps(part.input)
        return {
            "type": "function_call", "name": part.name, "arguments": given,
            "call_id": part.call_id,
        }  # fmt: skip
    if part.kind == "tool_result":
        return {"type": "function_call_output", "call_id": part.call_id, "output": part.text}
    role = "assistant" if message.role == "assistant" else "user"
    kind = "output_text" if role == "assistant" else "input_text"
    text = part.text or f"[{part.kind}: {part.name}]"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
