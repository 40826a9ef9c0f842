"""Composes a new Copilot CLI session from any agent's messages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.copilot import EVENTS, WORKSPACE, state_folder
from gitsession.agents.copilot.assets import ASSET, asset_of, reference
from gitsession.agents.copilot.write import start_event, workspace_file
from gitsession.agents.lenient import compact
from gitsession.agents.new_ids import new_random_id
from gitsession.agents.rows import derived_id
from gitsession.agents.said import NO_TIME, Call, Image, Said
from gitsession.agents.speech import speech
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

_VERSION = "1.0.102"

Event = tuple[str, dict[str, Any]]


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or new_random_id()
    cwd = os.path.realpath(target.cwd)
    spoken = speech(messages)
    began = info._replace(agent_version=_VERSION, created=info.created or NO_TIME)
    rows = [start_event(began, {}, native_id, cwd)]
    time = began.created
    for place, one in enumerate(spoken.said):
        time = one.time or time
        for kind, data in _events(one, derived_id(native_id, "said", str(place))):
            name = derived_id(native_id, str(len(rows)))
            row = {"type": kind, "data": data, "id": name, "timestamp": time}
            rows.append({**row, "parentId": rows[-1]["id"]})
    folder = state_folder(environment) / native_id
    main = folder / EVENTS
    chain = b"".join(compact(row).encode() + b"\n" for row in rows)
    files = {folder / WORKSPACE: workspace_file(began, target, native_id, cwd), main: chain}
    return Written(native_id, main, files, spoken.repairs)


def _events(one: Said, name: str) -> Iterator[Event]:
    if one.role == "user":
        yield from _asked(one)
        return
    turn = {"turnId": "0"}
    yield "assistant.turn_start", turn
    *before, last = [*_texts(one.blocks)] or [""]
    for number, text in enumerate(before):
        yield "assistant.message", _answer(one, f"{name}-{number}", text)
    asked = [
        {"toolCallId": call.call_id, "name": call.name, "arguments": call.arguments,
         "type": "function"}
        for call in one.calls
    ]  # fmt: skip
    yield "assistant.message", {**_answer(one, name, last), "toolRequests": asked}
    for call in one.calls:
        start = {"toolCallId": call.call_id, "toolName": call.name, "arguments": call.arguments}
        yield "tool.execution_start", {**start, **turn}
    for call in one.calls:
        yield from _result(call)
    yield "assistant.turn_end", turn


def _texts(blocks: Iterable[str | Image]) -> Iterator[str]:
    return (block for block in blocks if isinstance(block, str))


def _asked(one: Said) -> Iterator[Event]:
    """Yield a message for each text with the images that follow it: a message holds one text."""
    groups: list[tuple[str, list[Image]]] = []
    for block in one.blocks:
        if isinstance(block, str):
            groups.append((block, []))
        else:
            groups = groups or [("", [])]
            groups[-1][1].append(block)
    for text, images in groups:
        assets = [asset_of(image) for image in images]
        yield from ((ASSET, asset) for asset in assets)
        shown = [{**reference(asset), "type": "blob"} for asset in assets]
        yield (
            "user.message",
            {"content": text, "attachments": shown} if shown else {"content": text},
        )


def _answer(one: Said, name: str, text: str) -> dict[str, Any]:
    model = {"model": one.model} if one.model else {}
    return {"messageId": name, **model, "content": text, "toolRequests": []}


def _result(call: Call) -> Iterator[Event]:
    head = {"toolCallId": call.call_id, "success": not call.error}
    assets = [asset_of(image) for image in call.images]
    yield from ((ASSET, asset) for asset in assets)
    result: dict[str, Any] = {"content": call.output}
    if assets:
        result["binaryResultsForLlm"] = list(map(reference, assets))
    failure = {"error": {"message": call.output, "code": "failure"}} if call.error else {}
    told = {"result": result} if assets or not call.error else {}
    yield "tool.execution_complete", {**head, **told, **failure}
