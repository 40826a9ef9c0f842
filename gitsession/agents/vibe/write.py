"""Writes a Mistral Vibe session in the older format: one line per message, and a metadata file."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import compact
from gitsession.agents.rows import Repairs
from gitsession.agents.said import Call, Image, Said
from gitsession.agents.speech import speech
from gitsession.agents.times import milliseconds
from gitsession.agents.vibe import AGENT
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.message import Message
from gitsession.model.session import Session

Row = dict[str, Any]

MESSAGES = "messages.jsonl"


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or str(uuid.uuid4())
    repairs = Repairs()
    spoken = speech(_seen(AGENT.messages(session), repairs))
    if not spoken.said:
        raise SourceUnreadable(
            "this version holds no conversation that could be continued",
            hint="choose a later version",
        )
    rows = [row for one in _joined(spoken.said) for row in _rows(one, repairs)]
    began = milliseconds(session.info.created) / 1000
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(began))
    folder = AGENT.home(environment) / f"session_{stamp}_{native_id[:8]}"
    main = folder / MESSAGES
    data = "".join(compact(row) + "\n" for row in rows).encode("utf-8", "replace")
    files = {folder / "meta.json": _note(session, target, native_id, len(rows)), main: data}
    return Written(native_id, main, files, (*spoken.repairs, *repairs.texts()))


def _seen(messages: Iterable[Message], repairs: Repairs) -> Iterator[Message]:
    """Yield what users, the model and tools said.

    The agent inserts its own notes again, and a thought belongs to the answer that it led to.
    """
    thoughts = 0
    for message in messages:
        if message.role in ("user", "assistant"):
            kept = tuple(part for part in message.parts if part.kind != "reasoning")
            thoughts += len(message.parts) - len(kept)
            yield replace(message, parts=kept)
    repairs.note("{} thought{s} of the model left out", thoughts)


def _joined(said: Iterable[Said]) -> Iterator[Said]:
    """Yield answers with their calls joined to their text, as the model was shown them."""
    held: Said | None = None
    for one in said:
        if held is not None and one.role == "assistant" and not one.blocks:
            held = held._replace(calls=(*held.calls, *one.calls))
            continue
        if held is not None:
            yield held
        held = one if one.role == "assistant" else None
        if held is None:
            yield one
    if held is not None:
        yield held


def _rows(one: Said, repairs: Repairs) -> Iterator[Row]:
    images = [block for block in one.blocks if isinstance(block, Image)]
    images += [image for call in one.calls for image in call.images]
    repairs.note("{} picture{s} left out", len(images))
    text = "\n".join(block for block in one.blocks if isinstance(block, str))
    if one.role == "user":
        yield {"role": "user", "content": text or "[image]"}
        return
    calls = [_call(call, place) for place, call in enumerate(one.calls)]
    yield {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    for call in one.calls:
        text = f"<tool_error>{call.output}</tool_error>" if call.error else call.output
        yield {"role": "tool", "content": text, "name": call.name, "tool_call_id": call.call_id}


def _call(call: Call, place: int) -> Row:
    given = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": call.call_id, "index": place, "function": given, "type": "function"}


def _note(session: Session, target: Target, native_id: str, count: int) -> bytes:
    """Return what the agent's own list shows. No permissions."""
    info, cwd = session.info, os.path.realpath(target.cwd)
    note = {
        "session_id": native_id,
        "parent_session_id": None,
        "start_time": info.created,
        "end_time": info.updated,
        "git_commit": None,
        "git_branch": info.git_branch or None,
        "environment": {"working_directory": cwd},
        "username": "",
        "title": " ".join((target.title or info.title).split()),
        "title_source": "manual",
        "total_messages": count,
    }
    return compact(note).encode("utf-8", "replace") + b"\n"
