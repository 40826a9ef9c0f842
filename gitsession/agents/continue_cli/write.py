"""Writes a Continue session that the agent can continue: one document with a rewritten history."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from gitsession.agents import whole_json
from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import (
    compact,
    list_of,
    mapping_of,
    mend_surrogates,
    text_of,
    whole_text,
)
from gitsession.agents.new_ids import new_random_id
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.permissions import without
from gitsession.agents.rows import Repairs
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session

Values = dict[str, Any]

_SAID = ("message", "contextItems", "editorState", "toolCallStates", "conversationSummary")
_SHOWN = ("name", "content", "description")
"""Members of an item, and of its attachments, that are purely conversation."""


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    repairs = Repairs()
    items = list(_items(session, target, repairs))
    title = " ".join((target.title or session.info.title).split())
    return document(_whole(items, repairs), title, target, environment, repairs.texts())


def document(
    history: list[Values],
    title: str,
    target: Target,
    environment: Environment,
    repairs: tuple[str, ...],
) -> Written:
    """Return a session of these items under a new id. Usage and mode are left behind."""
    from gitsession.agents.continue_cli import AGENT

    if not any(_role(item) in ("user", "assistant") for item in history):
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    native_id = target.native_id or new_random_id()
    value = {
        "sessionId": native_id,
        "title": title,
        "workspaceDirectory": os.path.realpath(target.cwd),
        "history": history,
    }
    text = json.dumps(value, ensure_ascii=False, indent=2)
    main = AGENT.home(environment) / f"{native_id}.json"
    return Written(native_id, main, {main: whole_text(text).encode() + b"\n"}, repairs)


def state_of(call: Values, output: str, *, failed: bool) -> Values:
    """Return a call's outcome, as the agent keeps it next to the call."""
    arguments = text_of(mapping_of(call.get("function")).get("arguments"))
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):
        parsed = {}
    shown = {"content": output, "name": "Tool Result", "description": "Tool execution result"}
    return {
        "toolCallId": text_of(call.get("id")),
        "toolCall": call,
        "status": "errored" if failed else "done",
        "parsedArgs": mapping_of(parsed),
        "output": [shown],
    }


def _role(item: Values) -> str:
    return text_of(mapping_of(item.get("message")).get("role"))


def _items(session: Session, target: Target, repairs: Repairs) -> Iterator[Values]:
    for record in session.stream().records:
        repairs.note("{} half surrogate{s} replaced", mend_surrogates(record.data)[1])
        kind, value, damaged = whole_json.piece_of(record.data)
        repairs.note("{} damaged record{s} left out", damaged)
        if kind == "item" and isinstance(mapping_of(value).get("message"), dict):
            yield _of_another(value, repairs) if target.foreign else without(value)


def _of_another(item: Values, repairs: Repairs) -> Values:
    """Return another user's item without paths and without what else was sent to the model."""
    told = {key: item[key] for key in _SAID if key in item}
    left_out = "{} record{s} of another user's settings and prompts left out"
    repairs.note(left_out, int(len(told) < len(item)))
    attached = map(mapping_of, list_of(item.get("contextItems")))
    shown = [{key: one[key] for key in _SHOWN if key in one} for one in attached]
    return {**told, "contextItems": shown}


def _whole(items: list[Values], repairs: Repairs) -> list[Values]:
    """Return the items with one result for each call, next to the call and nowhere else."""
    apart = {
        text_of(item["message"].get("toolCallId")): item["message"].get("content")
        for item in items
        if _role(item) == "tool"
    }
    kept = []
    for item in items:
        broken = _role(item) == "thinking" and "REDACTED" in compact(item)
        repairs.note("{} thinking block{s} without a valid signature left out", broken)
        if broken or _role(item) == "tool":
            continue
        calls = [mapping_of(call) for call in list_of(item["message"].get("toolCalls"))]
        if calls or "toolCallStates" in item:
            item = {**item, "toolCallStates": _states(item, calls, apart, repairs)}
        if _role(item) == "user":
            item = {**item, "editorState": item["message"].get("content")}
        kept.append(item)
    return kept


def _states(item: Values, calls: list[Values], apart: Values, repairs: Repairs) -> list[Values]:
    states = [mapping_of(state) for state in list_of(item.get("toolCallStates"))]
    known = {text_of(state.get("toolCallId")): state for state in reversed(states)}
    surplus, made = len(states) - len(known), []
    for call in calls:
        name = text_of(call.get("id"))
        state, told = known.pop(name, {}), apart.get(name)
        if list_of(state.get("output")):
            made.append(state)
        elif isinstance(told, str):
            made.append(state_of(call, told, failed=False))
        else:
            made.append(state_of(call, INTERRUPTED, failed=True))
            repairs.note("{} tool call{s} without result marked as interrupted")
    repairs.note("{} tool result{s} without a call left out", surplus + len(known))
    return made
