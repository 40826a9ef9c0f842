"""The JSON shapes of a version's content: messages, tool calls, findings, differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gitsession.render import unified
from gitsession.render.json import Json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.call import Call
    from gitsession.model.diff import (
        FileChange,
        LeftContext,
        MessageChange,
        SessionDiff,
        TurnChange,
    )
    from gitsession.model.event import Event
    from gitsession.model.finding import Finding
    from gitsession.model.message import Message, Part
    from gitsession.model.record import File, Sidecar, Stream
    from gitsession.model.session import Session


def session(session: Session) -> Json:
    """Return metadata, state, files (without contents) and messages of a session."""
    return {
        "info": session.info,
        "state": session.state,
        "usage": session.usage,
        "counts": session.counts,
        "files": session.files,
        "instructions": session.instructions,
        "sidecars": session.sidecars,
        "streams": session.streams,
        "messages": [
            {"number": number, **message(item)} for number, item in enumerate(session.messages, 1)
        ],
    }


def file(file: File) -> Json:
    """Return a project file: its size, and the reason if its content is missing; never the
    content."""
    size = len(file.content) if file.content is not None else file.size
    kept = file.content is not None
    return {"path": file.path, "size": size, "kept": kept, "reason": file.reason}


def sidecar(sidecar: Sidecar) -> Json:
    return {"path": sidecar.path, "size": len(sidecar.data)}


def stream(stream: Stream) -> Json:
    return {"name": stream.name, "records": stream.count}


def message(message: Message) -> Json:
    """Return a message with its parts and the paths of any files attached to it."""
    values: Json = {
        "role": message.role,
        "time": message.time,
        "model": message.model,
        "native_id": message.native_id,
        "stream": message.stream,
        "record": message.record,
        "usage": message.usage,
        "parts": message.parts,
    }
    if files := message.extra.get("files"):
        values["files"] = _paths(files)
    return values


def _paths(files: object) -> list[object]:
    """Return attached files by their paths: contents are not printed."""
    entries = files if isinstance(files, list) else []
    return [file.get("path", "") if isinstance(file, dict) else file for file in entries]


def part(part: Part) -> Json:
    """Return the non-empty fields of a part, and its native value only if nothing else says the
    same."""
    values: Json = {"kind": part.kind}
    for name in ("text", "name", "call_id", "input", "error", "synthetic"):
        if (value := getattr(part, name)) not in ("", None, False):
            values[name] = value
    if part.kind == "opaque":
        values["native"] = part.native
    return values


def call(call: Call) -> Json:
    """Return a tool call with its result."""
    return {
        "call_id": call.call.call_id,
        "tool": call.call.name,
        "message": call.message,
        "status": call.outcome,
        "input": call.call.input,
        "output": call.result.text if call.result is not None else None,
    }


def event(event: Event) -> Json:
    """Return an event: its fields, and the hash of its data."""
    values: Json = {name: getattr(event, name) for name in event.__match_args__}
    return {**values, "hash": event.hash}


def finding(finding: Finding) -> Json:
    """Return what was masked and where; never the value, nor anything derived from it."""
    names = ("rule", "place", "placeholder", "stream")
    return {name: getattr(finding, name) for name in names}


def diff(diff: SessionDiff) -> Json:
    """Return all differences; files as hunks, so that contents appear at most once."""
    return {
        "empty": diff.empty,
        "summary": diff.summary(),
        "unchanged_messages": diff.unchanged,
        "turns": diff.turns,
        "messages": diff.messages,
        "tool_calls": diff.calls,
        "files": diff.files,
        "instructions": diff.instructions,
        "sidecars": diff.sidecars,
        "todos": diff.todos,
        "fields": diff.fields,
        "left_context": diff.left,
        "counts": {"old": diff.old_counts, "new": diff.new_counts},
        "usage": {"old": diff.old_usage, "new": diff.new_usage},
    }


def left_context(left: LeftContext) -> Json:
    messages = [{"number": number, **message(item)} for number, item in left.messages]
    return {"messages": messages, "summaries": left.summaries}


def turn_change(turn: TurnChange) -> Json:
    return {
        "status": turn.status,
        "old_number": turn.old_number,
        "new_number": turn.new_number,
        "prompt": turn.prompt,
        "messages": [[change.old_number, change.new_number] for change in turn.messages],
    }


def message_change(change: MessageChange) -> Json:
    return {
        "status": change.status,
        "old": {"number": change.old_number, **message(change.old)} if change.old else None,
        "new": {"number": change.new_number, **message(change.new)} if change.new else None,
    }


def file_change(change: FileChange) -> Json:
    old, new = unified.text_of(change.old), unified.text_of(change.new)
    unknown = {change.old_reason, change.new_reason} - {"", "deleted"}
    hunks = None
    if old is not None and new is not None and not unknown:
        pairs = unified.hunks(unified.split(old), unified.split(new))
        hunks = [{"heading": hunk.heading, "lines": hunk.lines} for hunk in pairs]
    values: Json = {
        "path": change.path,
        "status": change.status,
        "old_size": len(change.old) if change.old is not None else None,
        "new_size": len(change.new) if change.new is not None else None,
        "old_reason": change.old_reason,
        "new_reason": change.new_reason,
        "hunks": hunks,
    }
    return values if change.runs is None else {**values, "executable": change.runs}


SHAPES: Mapping[str, Callable[..., Json]] = {
    "Session": session,
    "File": file,
    "Sidecar": sidecar,
    "Stream": stream,
    "Message": message,
    "Part": part,
    "Call": call,
    "Event": event,
    "Finding": finding,
    "SessionDiff": diff,
    "TurnChange": turn_change,
    "MessageChange": message_change,
    "FileChange": file_change,
    "LeftContext": left_context,
}
"""Classes of model/ whose JSON is not just their fields."""
