"""Composes a new Claude Code session from any agent's messages."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.claude_code.find import folder_name, home
from gitsession.agents.lenient import compact
from gitsession.agents.rows import derived_id
from gitsession.agents.said import NO_TIME, Call, Image, Said
from gitsession.agents.speech import speech
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

_VERSION = "2.0.0"


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or str(uuid.uuid4())
    spoken = speech(messages)
    folder = home(environment) / "projects" / folder_name(os.path.realpath(target.cwd))
    main: Path = folder / f"{native_id}.jsonl"
    data = b"".join(
        compact(row).encode("utf-8", "replace") + b"\n"
        for row in _chained(spoken.said, info, target, native_id)
    )
    return Written(native_id, main, {main: data}, spoken.repairs)


def _chained(
    said: tuple[Said, ...], info: Info, target: Target, native_id: str
) -> Iterator[dict[str, Any]]:
    parent, time = None, info.created or NO_TIME
    for number, one in enumerate(said):
        time = one.time or time
        for place, row in enumerate(_rows(one, derived_id(native_id, "message", str(number)))):
            name = derived_id(native_id, str(number), str(place))
            yield {
                "parentUuid": parent, "isSidechain": False, "userType": "external",
                "entrypoint": "cli", "cwd": target.cwd, "sessionId": native_id,
                "version": _VERSION, "gitBranch": info.git_branch, **row, "uuid": name,
                "timestamp": time,
            }  # fmt: skip
            parent = name
    if target.title:
        yield {"type": "custom-title", "customTitle": target.title, "sessionId": native_id}


def _rows(one: Said, message_id: str) -> Iterator[dict[str, Any]]:
    blocks = [_block(block) for block in one.blocks]
    if one.role == "user":
        plain = blocks[0]["text"] if len(blocks) == 1 and "text" in blocks[0] else blocks
        row = {"type": "user", "message": {"role": "user", "content": plain}}
        yield {**row, "isCompactSummary": True} if one.summary else row
        return
    calls = [
        {"type": "tool_use", "id": call.call_id, "name": call.name, "input": call.arguments}
        for call in one.calls
    ]
    yield {
        "type": "assistant",
        "message": {
            "id": f"msg_{message_id.replace('-', '')[:24]}",
            "type": "message",
            "role": "assistant",
            "model": one.model,
            "content": [*blocks, *calls],
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        },
    }
    if calls:
        results = [_result(call) for call in one.calls]
        yield {"type": "user", "message": {"role": "user", "content": results}}


def _block(block: str | Image) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    source = {"type": "base64", "media_type": block.media, "data": block.data}
    return {"type": "image", "source": source}


def _result(call: Call) -> dict[str, Any]:
    content: Any = call.output
    if call.images:
        content = [_block(block) for block in call.content]
    result = {"tool_use_id": call.call_id, "type": "tool_result", "content": content}
    return {**result, "is_error": True} if call.error else result
