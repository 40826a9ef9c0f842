"""Messages as Claude Code rows, from which the agent starts after a checkout within a budget."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from gitsession.agents.claude_code.records import Row
from gitsession.agents.lenient import compact, mapping_of, parse_line, text_of
from gitsession.digests import sha256
from gitsession.model.message import Message, Part
from gitsession.model.record import Record
from gitsession.model.session import Session

_NO_TIME = "1970-01-01T00:00:00.000Z"


def records(session: Session, messages: Sequence[Message]) -> tuple[Record, ...]:
    """Return rows of one linear conversation; the same messages always give the same rows.

    The last one gets the UUID of the session's own last row, so that what the agent appends is
    recognised as its continuation.
    """
    rows = list(_rows(session, messages))
    last = _last_uuid(session)
    parent = None
    for place, row in enumerate(rows):
        row["parentUuid"] = parent
        row["uuid"] = last if last and place == len(rows) - 1 else _name(row, place)
        parent = row["uuid"]
    return tuple(Record(compact(row).encode("utf-8", "replace") + b"\n") for row in rows)


def _rows(session: Session, messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    time = session.info.created or _NO_TIME
    common = {
        "isSidechain": False, "userType": "external", "cwd": session.info.cwd,
        "sessionId": session.info.native_id, "version": session.info.agent_version or "2.0.0",
        "gitBranch": session.info.git_branch,
    }  # fmt: skip
    for number, message in enumerate(messages):
        time = message.time or time
        for kind, content in _pieces(message):
            row: dict[str, Any] = {"type": kind, **common, "timestamp": time}
            if kind == "assistant":
                row["message"] = _answer(message, content, session, number)
            else:
                row["message"] = {"role": "user", "content": content}
                if _is_summary(message):
                    row["isCompactSummary"] = True
            yield row


def _is_summary(message: Message) -> bool:
    made = message.extra.get("made") == "summary"
    return made or any(part.kind == "compaction" for part in message.parts)


def _pieces(message: Message) -> Iterator[tuple[str, list[Any]]]:
    """Yield runs of what one side says: text and calls, then the results of these calls."""
    said: list[Any] = []
    results: list[Any] = []
    kind = "assistant" if message.role == "assistant" else "user"
    for part in message.parts:
        if part.kind == "tool_result":
            results.append(_result(part))
            continue
        if results and part.kind != "tool_call":
            yield kind, said
            yield "user", results
            said, results = [], []
        said.append(_block(part))
    if said:
        yield kind, said
    if results:
        yield "user", results


def _block(part: Part) -> Any:
    if part.kind == "tool_call":
        given = part.input if isinstance(part.input, dict) else {"input": part.input}
        return {"type": "tool_use", "id": part.call_id, "name": part.name, "input": given}
    if part.kind in ("image", "file") and isinstance(part.native, dict):
        return part.native
    return {"type": "text", "text": part.text or f"[{part.kind}: {part.name}]"}


def _result(part: Part) -> Row:
    block: Row = {"tool_use_id": part.call_id, "type": "tool_result", "content": part.text}
    return {**block, "is_error": True} if part.error else block


def _answer(message: Message, content: list[Any], session: Session, number: int) -> Row:
    """Return an API message.

    Its id includes its position: rows with one id are one answer, and two answers may say the same.
    """
    models = session.info.models
    calls = any(block.get("type") == "tool_use" for block in content)
    said = json.dumps([number, content], sort_keys=True, default=str)
    digest = sha256(said.encode("utf-8", "replace")).hexdigest()
    return {
        "id": f"msg_{digest[:24]}",
        "type": "message",
        "role": "assistant",
        "model": message.model or (models[-1] if models else ""),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _name(row: Row, place: int) -> str:
    text = json.dumps([place, row["message"]], sort_keys=True, default=str)
    digest = sha256(text.encode("utf-8", "replace")).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _last_uuid(session: Session) -> str:
    """Return the UUID of the newest row of the conversation, "" if there is none."""
    for record in reversed(session.stream().records):
        for row in reversed(parse_line(record.data).objects):
            if row.get("type") in ("user", "assistant") and mapping_of(row.get("message")):
                return text_of(row.get("uuid"))
    return ""
