"""Writes a Gemini CLI session that the agent can continue: a log of the final messages."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gitsession.agents import parts, permissions
from gitsession.agents.base import Target, Written
from gitsession.agents.gemini.find import (
    MARKER,
    SUBAGENT,
    folder_for,
    marked_root,
    project_hash,
)
from gitsession.agents.gemini.log import Log, replay
from gitsession.agents.gemini.records import (
    NOTES,
    Row,
    calls,
    is_context,
    is_forgotten,
    own_responses,
    remembered,
    role,
    tool_calls,
    without_hooks,
)
from gitsession.agents.lenient import compact, list_of, mend_surrogates, text_of
from gitsession.agents.new_ids import new_random_id, time_in_random
from gitsession.agents.pairs import INTERRUPTED, pair
from gitsession.agents.pictures import lighter
from gitsession.agents.rows import Repairs
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Info, Session

_FIELDS = ("id", "timestamp", "type", "content", "thoughts", "tokens", "model", "toolCalls")
_CALL_FIELDS = ("id", "name", "args", "result", "status", "timestamp")
_EPOCH = "1970-01-01T00:00:00.000Z"


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or new_random_id()
    repairs = Repairs()
    messages = _messages(session, target, repairs)
    if not any(role(message) in ("user", "assistant") for message in messages):
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    whole = written(session.info, messages, target, native_id, environment)
    files = {**_subagents(session, target, whole, repairs), **whole.files}
    return whole._replace(files=files, repairs=repairs.texts())


def _messages(session: Session, target: Target, repairs: Repairs) -> list[Row]:
    """Return the messages of the main stream in a form that can be sent again."""
    log = replay(session)
    _note_damage(session, log, repairs)
    messages = [permissions.without(entry.value) for entry in log.messages]
    if target.foreign:
        messages = _shared(messages, repairs)
    messages, told = lighter(messages)
    if told:
        repairs.note(told)
    messages = _remembered(messages, repairs)
    return _paired([_signed(message, repairs) for message in messages], repairs)


def _subagents(
    session: Session, target: Target, new: Written, repairs: Repairs
) -> dict[Path, bytes]:
    """Return the subagents' conversations, in the folder named after the new session."""
    files: dict[Path, bytes] = {}
    cwd = os.path.realpath(target.cwd)
    folder = new.main.parent / new.native_id
    for stream in session.streams:
        named = SUBAGENT.fullmatch(stream.name)
        if named and stream.records:
            alone = session._replace(streams=(stream._replace(name="main"),))
            messages = _messages(alone, target, repairs)
            head = _metadata(session.info, target._replace(title=""), named[1], cwd)
            files[folder / f"{named[1]}.jsonl"] = _lines([{**head, "kind": "subagent"}, *messages])
    return files


def _lines(rows: Iterable[Row]) -> bytes:
    return b"".join(compact(row).encode("utf-8", "replace") + b"\n" for row in rows)


def written(
    info: Info,
    messages: Iterable[Row],
    target: Target,
    native_id: str,
    environment: Environment,
    repairs: tuple[str, ...] = (),
) -> Written:
    """Return a log of these messages in the project's folder, marked as the agent marks it."""
    cwd = os.path.realpath(target.cwd)
    data = _lines([_metadata(info, target, native_id, cwd), *messages])
    folder = folder_for(environment, cwd)
    files: dict[Path, bytes] = {}
    if not marked_root(folder):
        files[folder / MARKER] = cwd.encode("utf-8", "surrogateescape")
    main = folder / "chats" / _file_name(info, native_id)
    files[main] = data
    return Written(native_id, main, files, repairs)


def _changed(info: Info, native_id: str) -> str:
    """Return when the new file was created: the agent deletes sessions unchanged for a month."""
    made = utc_time(time_in_random(native_id)) if time_in_random(native_id) else ""
    return made or info.updated or info.created or _EPOCH


def _file_name(info: Info, native_id: str) -> str:
    """Return a file name with the whole id.

    Resuming in another minute leaves an empty file named by the id's first eight digits, and the
    next start deletes every file that ends in those.
    """
    minute = _changed(info, native_id)[:16].replace(":", "-")
    return f"session-{minute}-{native_id}.jsonl"


def _note_damage(session: Session, log: Log, repairs: Repairs) -> None:
    repairs.note("{} damaged record{s} left out", log.damaged)
    count = sum(mend_surrogates(record.data)[1] for record in session.stream().records)
    repairs.note("{} half surrogate{s} replaced", count)


def _metadata(info: Info, target: Target, native_id: str, cwd: str) -> dict[str, Any]:
    row = {
        "sessionId": native_id,
        "projectHash": project_hash(cwd),
        "startTime": info.created or _EPOCH,
        "lastUpdated": _changed(info, native_id),
        "kind": "main",
    }
    return {**row, "summary": " ".join(target.title.split())} if target.title else row


def _shared(messages: list[Row], repairs: Repairs) -> list[Row]:
    """Keep only what may be written of another user's session: the conversation."""
    kept = [m for m in messages if m.get("type") not in NOTES and not is_context(m)]
    gone = len(messages) - len(kept)
    repairs.note("{} record{s} of another user's settings and prompts left out", gone)
    found = []
    for message in kept:
        row = {key: message[key] for key in _FIELDS if key in message}
        if role(row) == "user":
            row["content"] = _unhooked(row.get("content"))
        if "toolCalls" in row:
            row["toolCalls"] = [
                {key: call[key] for key in _CALL_FIELDS if key in call}
                for call in tool_calls(message)
            ]
        found.append(row)
    return found


def _unhooked(content: object) -> object:
    """Return a prompt without what the other user's hooks added to it."""
    if "<hook_context>" not in parts.text_in(content):
        return content
    given = [
        {**part, "text": without_hooks(part["text"])} if isinstance(part.get("text"), str) else part
        for part in parts.native_parts(content)
    ]
    return [part for part in given if part.get("text") != ""]


def _remembered(messages: list[Row], repairs: Repairs) -> list[Row]:
    """Rewrite prompts that the agent would leave out, so that it sends them too."""
    lost = sum(map(is_forgotten, messages))
    repairs.note("{} prompt{s} put so that the agent does not leave them out", lost)
    return [
        {**message, "content": remembered(message.get("content"))}
        if is_forgotten(message)
        else message
        for message in messages
    ]


def _signed(message: Row, repairs: Repairs) -> Row:
    """Remove signatures and thoughts that redaction changed; everything else stays as it is."""
    content, thoughts = message.get("content"), list_of(message.get("thoughts"))
    kept, count = content, 0
    if isinstance(content, list):
        kept, count = parts.without_masked_signatures(parts.native_parts(content))
    whole = [thought for thought in thoughts if "__REDACTED_" not in compact(thought)]
    repairs.note(
        "{} thinking block{s} without a valid signature left out",
        count + len(thoughts) - len(whole),
    )
    if count:
        message = {**message, "content": kept}
    return {**message, "thoughts": whole} if len(whole) < len(thoughts) else message


def _paired(messages: list[Row], repairs: Repairs) -> list[Row]:
    """Give every call a result: next to the call, or in a message after it."""
    asked = [call_id for message in messages for call_id, _, _ in calls(message)]
    answers = [call_id for message in messages for call_id in _answered(message)]
    missing = set(pair(asked, answers).missing)
    known = set(asked)
    found: list[Row] = []
    for message in messages:
        given = parts.responses(message.get("content"))
        orphans = [one for one in given if text_of(one.get("id")) not in known]
        if orphans and not role(message):
            repairs.note("{} tool result{s} without a call left out", len(orphans))
            message = _without(message, orphans)
            if not message["content"]:
                continue
        lost = [call for call in calls(message) if call[0] in missing]
        found += _answer(message, lost)
    repairs.note("{} tool call{s} without result marked as interrupted", len(missing))
    return found


def _answered(message: Row) -> list[str]:
    found = [text_of(one.get("id")) for one in parts.responses(message.get("content"))]
    return found + [text_of(c.get("id")) for c in tool_calls(message) if own_responses(c)]


def _without(message: Row, gone: list[Row]) -> Row:
    content = parts.native_parts(message.get("content"))
    kept = [part for part in content if part.get("functionResponse") not in gone]
    return {**message, "content": kept}


def _answer(message: Row, lost: list[tuple[str, str, object]]) -> list[Row]:
    """Return the message with results for the calls that have none."""
    if not lost:
        return [message]
    made = {call_id: [_interrupted(call_id, name)] for call_id, name, _ in lost}
    beside = [
        {**call, "status": "cancelled", "result": made.pop(text_of(call.get("id")))}
        if text_of(call.get("id")) in made
        else call
        for call in tool_calls(message)
    ]
    whole = {**message, "toolCalls": beside} if beside else message
    if not made:
        return [whole]
    name = f"{message['id']}_response"
    content = [part for answers in made.values() for part in answers]
    behind = {"id": name, "timestamp": message.get("timestamp"), "type": "user"}
    return [whole, {**behind, "content": content}]


def _interrupted(call_id: str, name: str) -> dict[str, Any]:
    response = {"id": call_id, "name": name, "response": {"error": INTERRUPTED}}
    return {"functionResponse": response}
