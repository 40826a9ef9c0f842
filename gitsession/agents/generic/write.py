"""Sessions as bytes of the generic format: any session exported, or a stored one continued."""

from __future__ import annotations

import base64
import os
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.generic.fold import METADATA
from gitsession.agents.generic.form import CHAIN, FORMAT, Values, line, message_values, pieces
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.pairs import INTERRUPTED
from gitsession.model.message import Message
from gitsession.model.record import File
from gitsession.model.session import Session, State

_lock = threading.Lock()
_last = 0
# Two processes may ask in the same millisecond, so each starts counting at a random number.
_numbers = count(int.from_bytes(os.urandom(3), "big"))


def new_id() -> str:
    """Return `session-<milliseconds>-<n>`, both strictly increasing within a process."""
    global _last
    with _lock:
        _last = max(_last + 1, time.time_ns() // 1_000_000)
        return f"session-{_last}-{next(_numbers)}"


def created_of(session_id: str) -> str:
    """Return the time in an id of this kind, ISO-8601 UTC; "" for any other id."""
    kind, _, rest = session_id.partition("-")
    milliseconds, _, number = rest.partition("-")
    if kind != "session" or not (milliseconds.isdecimal() and number.isdecimal()):
        return ""
    seconds, part = divmod(int(milliseconds), 1000)
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{part:03}Z"
    except (OverflowError, ValueError, OSError):
        return ""


def dump(session: Session, messages: Iterable[Message], *, one_object: bool = False) -> bytes:
    """Return any agent's session in the generic format: lines, or (`one_object`) a JSON object.

    Reading it gives the same messages and state; dumping that again gives the same bytes.
    """
    head = {"format": FORMAT, METADATA: _metadata(session)}
    chain = [message_values(message) for message in messages]
    tail = _state(session.state)
    files = [_file(file) for file in session.files]
    if files:
        tail["files"] = files
    if one_object:
        import json

        value = {**head, CHAIN: chain, **tail}
        text = json.dumps(value, ensure_ascii=False, indent=1)
        return text.encode("utf-8", "replace") + b"\n"
    rows = [head, *chain, *([tail] if tail else []), {"end": True}]
    return b"".join(map(line, rows))


def _metadata(session: Session) -> Values:
    info = session.info
    kept = next((mapping_of(m) for m in session.state.markers if m.get("kind") == METADATA), {})
    context = mapping_of(kept.get("project_context"))
    values: Values = {
        "session_id": info.native_id,
        "created_at": info.created,
        "last_updated_at": info.updated,
        "model": info.models[0] if info.models else "",
        "system_prompt_hash": text_of(kept.get("system_prompt_hash"))
        or (f"sha256:{session.state.prompt_hash}" if session.state.prompt_hash else ""),
        "project_context": {"file_tree_snapshot": [], **context, "root_path": info.cwd},
        "title": info.title,
        "models": list(info.models[1:]),
        "agent": text_of(kept.get("agent")) or (info.agent if info.agent != "generic" else ""),
        "agent_version": info.agent_version,
        "git_branch": info.git_branch,
    }
    optional = ("title", "models", "agent", "agent_version", "git_branch")
    return {name: value for name, value in values.items() if value or name not in optional}


def _state(state: State) -> Values:
    context: Values = {
        "active_file": state.active_file,
        "active_line": state.active_line,
        "code_analysis_cache": dict(state.analysis),
        "working_memory": list(state.memory),
        "available_tools": list(state.tools),
    }
    ran: Values = {
        "last_run_command": state.last_command,
        "exit_code": state.exit_code,
        "output_snippet": state.output_snippet,
    }
    values: Values = {"contextual_state": _given(context), "tool_execution_state": _given(ran)}
    values["todos"] = [
        _given({"id": todo.id, "text": todo.text, "status": todo.status}) for todo in state.todos
    ]
    return _given(values)


def _given(values: Values) -> Values:
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}


def _file(file: File) -> Values:
    if file.content is None:
        return {"path": file.path, "reason": file.reason}
    try:
        return {"path": file.path, "content": file.content.decode("utf-8")}
    except UnicodeDecodeError:
        encoded = base64.b64encode(file.content).decode("ascii")
        return {"path": file.path, "content_base64": encoded}


def write(session: Session, target: Target, folder: Path, messages: Iterable[Message]) -> Written:
    """Return a new session file in `folder`: its records as they are stored, its header new."""
    native_id = target.native_id or new_id()
    repairs: list[str] = []
    if session.info.agent == "generic":
        rows: list[Any] = list(_continued(session, target, repairs))
    else:
        rows = [message_values(message) for message in messages]
        repairs.append(f"written anew from the conversation of a {session.info.agent} session")
    metadata = _metadata(session)
    metadata["session_id"] = native_id
    metadata["fork"] = {"parent_session_id": session.info.native_id}
    metadata["project_context"] = {
        **({} if target.foreign else metadata["project_context"]),
        "root_path": target.cwd,
    }
    if target.title:
        metadata["title"] = target.title
    data = b"".join(map(line, ({"format": FORMAT, METADATA: metadata}, *rows)))
    path = folder / f"{native_id}.jsonl"
    return Written(native_id, path, {path: data}, tuple(repairs))


def _continued(session: Session, target: Target, repairs: list[str]) -> Iterator[Values]:
    damaged = open_calls = hidden = 0
    data = b"".join(record.data for record in session.stream().records)
    for piece in pieces(data):
        damaged += not piece.values and bool(piece.data.strip())
        for values in piece.values:
            kept = {name: one for name, one in values.items() if name not in ("format", METADATA)}
            if target.foreign:
                before = len(kept)
                for name in ("contextual_state", "tool_execution_state", "todos"):
                    kept.pop(name, None)
                hidden += len(kept) != before
                if values.get("role") == "system":
                    hidden += 1
                    continue
            if "tool_calls" in kept:
                open_calls += _answer_all(kept)
            if kept:
                yield kept
    if damaged:
        repairs.append(f"{damaged} damaged records left out")
    if open_calls:
        repairs.append(f"{open_calls} tool calls without result marked as interrupted")
    if hidden:
        repairs.append(f"{hidden} system messages and states of another user left out")


def _answer_all(message: Values) -> int:
    """Give every call without an output one that says so; return how many there were."""
    calls = list_of(message["tool_calls"])
    unanswered = [call for call in calls if isinstance(call, dict) and "output" not in call]
    if unanswered:
        message["tool_calls"] = [
            {**call, "output": INTERRUPTED, "error": True} if call in unanswered else call
            for call in calls
        ]
    return len(unanswered)
