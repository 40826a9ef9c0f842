"""Writes a Cline session that the agent can continue: rewritten messages, and a description."""

from __future__ import annotations

import json
import os
import secrets
import string
import time
from collections.abc import Iterator
from typing import Any

from gitsession.agents import whole_json
from gitsession.agents.base import Target, Written
from gitsession.agents.cline import AGENT, MESSAGES
from gitsession.agents.lenient import list_of, mapping_of, mend_surrogates, text_of, whole_text
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.rows import Repairs, derived_id
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session

Values = dict[str, Any]

_LETTERS = string.ascii_lowercase + string.digits
_VERSION = "3.0.65"
_PARTS_OF_THE_PROGRAM = ("enable_tools", "enable_spawn", "enable_teams")
"""Cline rejects a description without these; all are on in any session that it starts itself. What
a tool may do is decided elsewhere."""


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or new_id()
    repairs = Repairs()
    messages = list(_paired(list(_messages(session, repairs)), native_id, repairs))
    if not any(text_of(message.get("role")) in ("user", "assistant") for message in messages):
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    folder = AGENT.home(environment) / native_id
    main = folder / f"{native_id}{MESSAGES}"
    version = session.info.agent_version or _VERSION
    value = {
        "version": 1,
        "updated_at": session.info.updated,
        "agent": "lead",
        "sessionId": native_id,
        "origin": {"source": "cli", "mode": "user", "sessionId": native_id, "version": version},
        "messages": messages,
    }
    note = _note(session, target, native_id, messages, str(main))
    files = {folder / f"{native_id}.json": _document(note), main: _document(value)}
    return Written(native_id, main, files, repairs.texts())


def new_id() -> str:
    """Return an id as the agent forms them: the time in milliseconds, and five characters."""
    tail = "".join(secrets.choice(_LETTERS) for _ in range(5))
    return f"{time.time_ns() // 1_000_000}_{tail}"


def _document(value: Values) -> bytes:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return whole_text(text).encode("utf-8", "replace") + b"\n"


def _messages(session: Session, repairs: Repairs) -> Iterator[Values]:
    for record in session.stream().records:
        repairs.note("{} half surrogate{s} replaced", mend_surrogates(record.data)[1])
        kind, value, damaged = whole_json.piece_of(record.data)
        repairs.note("{} damaged record{s} left out", damaged)
        if kind == "item" and "role" in mapping_of(value):
            yield value


def _paired(messages: list[Values], native_id: str, repairs: Repairs) -> Iterator[Values]:
    """Give every call one result, in the message that follows it."""
    waiting: dict[str, str] = {}
    for message in messages:
        items = [mapping_of(item) for item in list_of(message.get("content"))]
        answered = [item for item in items if item.get("type") == "tool_result"]
        good = [item for item in answered if waiting.pop(text_of(item.get("tool_use_id")), None)]
        repairs.note("{} tool result{s} without a call left out", len(answered) - len(good))
        missing = _interrupted(waiting, repairs)
        if missing and not good:
            yield _results(missing, native_id)
            missing = []
        waiting = {text_of(item.get("id")): text_of(item.get("name")) or "tool"
                   for item in items if item.get("type") == "tool_use"}  # fmt: skip
        others = [item for item in items if item not in answered]
        if not items:
            yield message
        elif good or others:
            yield {**message, "content": [*good, *missing, *others]}
    missing = _interrupted(waiting, repairs)
    if missing:
        yield _results(missing, native_id)


def _interrupted(waiting: dict[str, str], repairs: Repairs) -> list[Values]:
    repairs.note("{} tool call{s} without result marked as interrupted", len(waiting))
    return [
        {"type": "tool_result", "tool_use_id": call, "name": name, "content": INTERRUPTED,
         "is_error": True}
        for call, name in waiting.items()
    ]  # fmt: skip


def _results(results: list[Values], native_id: str) -> Values:
    name = derived_id(native_id, *(text_of(result["tool_use_id"]) for result in results))
    return {"id": name, "role": "user", "content": results}


def _note(
    session: Session, target: Target, native_id: str, messages: list[Values], path: str
) -> Values:
    """Return what the agent's own list shows, and the model to continue with. No permissions."""
    spoken = [mapping_of(message.get("modelInfo")) for message in messages]
    model: Values = next((told for told in reversed(spoken) if told), {})
    title = " ".join((target.title or session.info.title).split())
    cwd = os.path.realpath(target.cwd)
    return {
        "version": 1,
        "session_id": native_id,
        "source": "cli",
        "pid": 0,
        "started_at": session.info.created,
        "ended_at": session.info.updated,
        "exit_code": 0,
        "status": "completed",
        "interactive": True,
        "provider": text_of(model.get("provider")),
        "model": text_of(model.get("id")),
        "cwd": cwd,
        "workspace_root": cwd,
        **dict.fromkeys(_PARTS_OF_THE_PROGRAM, True),
        "prompt": title,
        "metadata": {"title": title},
        "messages_path": path,
    }
