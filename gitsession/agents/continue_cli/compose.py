"""Composes a new Continue session from any agent's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.continue_cli.write import document, state_of
from gitsession.agents.lenient import compact
from gitsession.agents.said import Call, Image, Said
from gitsession.agents.speech import speech
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

Values = dict[str, Any]


def compose(
    messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
) -> Written:
    """See `protocol.Composer`."""
    spoken = speech(messages)
    title = " ".join((target.title or info.title).split())
    items = [_item(one) for one in spoken.said]
    return document(items, title, target, environment, spoken.repairs)


def _item(one: Said) -> Values:
    content = _content(one.blocks)
    if one.role == "user":
        message: Values = {"role": "user", "content": content}
        return {"message": message, "contextItems": [], "editorState": content}
    message = {"role": "assistant", "content": content}
    item: Values = {"message": message, "contextItems": []}
    if one.calls:
        calls = [_call(call) for call in one.calls]
        message["toolCalls"] = calls
        item["toolCallStates"] = [_state(*pair) for pair in zip(calls, one.calls, strict=True)]
    return item


def _content(blocks: Sequence[str | Image]) -> str | list[Values]:
    if not blocks:
        return ""
    if len(blocks) == 1 and isinstance(blocks[0], str):
        return blocks[0]
    return [
        {"type": "text", "text": block}
        if isinstance(block, str)
        else {"type": "imageUrl", "imageUrl": {"url": _address(block)}}
        for block in blocks
    ]


def _call(call: Call) -> Values:
    function = {"name": call.name, "arguments": compact(call.arguments)}
    return {"id": call.call_id, "type": "function", "function": function}


def _state(native: Values, call: Call) -> Values:
    """Return a result's state, with images kept next to its text; the agent sends only the text."""
    state = state_of(native, call.output, failed=call.error)
    [shown] = state["output"]
    pictures = [{"uri": {"type": "url", "value": _address(image)}} for image in call.images]
    more = [{**shown, "content": "", **picture} for picture in pictures[1:]]
    return {**state, "output": [{**shown, **(pictures[0] if pictures else {})}, *more]}


def _address(image: Image) -> str:
    return f"data:{image.media};base64,{image.data}"
