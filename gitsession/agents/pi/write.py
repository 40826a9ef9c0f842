"""Writes a pi session that the agent can continue: new id, new folder, same tree."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.links import active_branch
from gitsession.agents.links_repair import repair
from gitsession.agents.new_ids import new_id, time_in
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.permissions import FIELDS
from gitsession.agents.pi.find import folder_name, home
from gitsession.agents.pi.records import (
    LINKS,
    Row,
    answered_call,
    calls,
    is_entry,
    is_header,
    message,
    speaker,
)
from gitsession.agents.rows import OutRow, Repairs, lighten, load, new_row, without
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.record import Record
from gitsession.model.session import Info, Session

VERSION = 3
_SHARED = ("message", "compaction", "branch_summary", "context_edit")
_SHARED_ROLES = ("user", "assistant", "toolResult", "bashExecution", "compactionSummary",
                 "branchSummary")  # fmt: skip
_SIGNATURES = ("thinkingSignature", "textSignature", "thoughtSignature")


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or new_id()
    repairs = Repairs()
    rows = _rows(session.stream().records, native_id, repairs)
    if target.foreign:
        rows = _shared(rows, repairs)
    lighten(rows, repairs)
    for row in rows:
        row.drop_all(FIELDS)
    _drop_broken_thinking(rows, repairs)
    rows = repair(rows, PiShape(), native_id, repairs)
    if not any(speaker(row.row) in ("user", "assistant") for row in rows):
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    if target.title:
        rows.append(_title(rows, target.title, native_id))
    seconds = time_in(native_id)
    head = new_row(header(session.info, target, native_id, utc_time(seconds)))
    main = session_path(environment, target.cwd, native_id, seconds)
    data = b"".join(row.render() for row in (head, *rows))
    return Written(native_id, main, {main: data}, repairs.texts())


def session_path(environment: Environment, cwd: str, native_id: str, seconds: float) -> Path:
    """Return where pi would put a session of that project that began at that time."""
    folder = home(environment) / "sessions" / folder_name(os.path.realpath(cwd))
    return folder / f"{_stamp(seconds)}_{native_id}.jsonl"


def header(info: Info, target: Target, native_id: str, started: str) -> Row:
    """Return the first row of a session file."""
    created = info.created or started
    return {
        "type": "session",
        "version": VERSION,
        "id": native_id,
        "timestamp": created,
        "cwd": target.cwd,
    }


def _stamp(seconds: float) -> str:
    moment = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(seconds))
    return f"{moment}-{int(seconds * 1000) % 1000:03d}Z"


def _rows(records: Iterable[Record], native_id: str, repairs: Repairs) -> list[OutRow]:
    """Return the entries in the format of version 3.

    Older files have no ids: pi would rewrite them completely on loading, and their growth could no
    longer be followed.
    """
    rows = load(records, repairs)
    headers = [row for row in rows if is_header(row.row)]
    entries = [row for row in rows if is_entry(row.row)]
    if any("id" in row.row for row in entries) or not entries:
        return _renamed_roles(entries)
    repairs.note("{} record{s} of an older form brought to today's form", len(entries))
    names = [entry_id(native_id, str(index)) for index in range(len(entries))]
    made = []
    for index, entry in enumerate(entries):
        parent = names[index - 1] if index else None
        links = {"type": entry.row["type"], "id": names[index], "parentId": parent}
        row = {**links, **{key: value for key, value in entry.row.items() if key != "type"}}
        kept = row.pop("firstKeptEntryIndex", None)
        if isinstance(kept, int) and len(headers) <= kept < len(headers) + len(entries):
            row["firstKeptEntryId"] = names[kept - len(headers)]
        made.append(new_row(row))
    return _renamed_roles(made)


def _renamed_roles(rows: list[OutRow]) -> list[OutRow]:
    for row in rows:
        if speaker(row.row) == "hookMessage":
            row.set("message", {**message(row.row), "role": "custom"})
    return rows


def entry_id(native_id: str, *what: str) -> str:
    """Return an id for an entry that we add: one session under one id always gets the same one."""
    return hashlib.sha256("\n".join((native_id, *what)).encode()).hexdigest()[:8]


def _shared(rows: list[OutRow], repairs: Repairs) -> list[OutRow]:
    """Keep only what may be written of another user's session: the conversation."""
    gone = [row for row in rows if not _is_conversation(row.row)]
    repairs.note("{} record{s} of another user's settings and prompts left out", len(gone))
    rows = without(rows, gone, name="id", links=LINKS)
    for row in rows:
        for key in ("systemMessage", "details", "fromHook"):
            row.drop(key)
        if isinstance(message(row.row).get("details"), dict):
            row.set("message", {k: v for k, v in message(row.row).items() if k != "details"})
    return rows


def _is_conversation(row: Row) -> bool:
    if row.get("type") == "message":
        return speaker(row) in _SHARED_ROLES
    return row.get("type") in _SHARED


def _drop_broken_thinking(rows: list[OutRow], repairs: Repairs) -> None:
    """Remove signatures that redaction changed, since services refuse them.

    A thinking block is removed with its signature; other blocks only lose it.
    """
    for row in rows:
        if speaker(row.row) != "assistant":
            continue
        content = list_of(message(row.row).get("content"))
        kept = [_whole(block) for block in content]
        if any(new is not old for new, old in zip(kept, content, strict=True)):
            blocks = [block for block in kept if block is not None]
            row.set("message", {**message(row.row), "content": blocks})
            repairs.note(
                "{} thinking block{s} without a valid signature left out", len(kept) - len(blocks)
            )


def _whole(block: object) -> object:
    told = mapping_of(block)
    broken = [key for key in _SIGNATURES if "REDACTED" in text_of(told.get(key))]
    masked = told.get("type") == "thinking" and "__REDACTED_" in text_of(told.get("thinking"))
    if not broken and not masked:
        return block
    if told.get("type") == "thinking":
        return None
    return {key: value for key, value in told.items() if key not in broken}


def _title(rows: list[OutRow], title: str, native_id: str) -> OutRow:
    """Return the row that sets the session's name in pi's own list."""
    on = active_branch([row.row for row in rows], "id", "parentId", is_entry).positions
    leaf = rows[on[-1]].row
    name = " ".join(title.split())
    return new_row(
        {
            "type": "session_info",
            "id": entry_id(native_id, "title"),
            "parentId": leaf.get("id"),
            "timestamp": leaf.get("timestamp"),
            "name": name,
        }
    )


class PiShape:
    """See `links_repair.Shape`."""

    name = "id"
    links = LINKS

    def belongs(self, row: Row) -> bool:
        return is_entry(row)

    def speaks(self, row: Row) -> bool:
        return speaker(row) in ("user", "assistant")

    def calls(self, row: Row) -> list[str]:
        return [call_id for call_id, _, _ in calls(row)]

    def results(self, row: Row) -> list[str]:
        return [answered_call(row)] if speaker(row) == "toolResult" else []

    def strip(self, row: OutRow, gone: set[int]) -> bool:  # noqa: ARG002 - one result a record
        return True

    def interrupted(self, call: OutRow, lost: list[str], native_id: str) -> list[Row]:
        names = {call_id: name for call_id, name, _ in calls(call.row)}
        stamp = message(call.row).get("timestamp", 0)
        return [
            {
                "type": "message",
                "id": entry_id(native_id, call_id),
                "parentId": None,
                "timestamp": call.row.get("timestamp"),
                "message": {
                    "role": "toolResult",
                    "toolCallId": call_id,
                    "toolName": names[call_id],
                    "content": [{"type": "text", "text": INTERRUPTED}],
                    "isError": True,
                    "timestamp": stamp,
                },
            }
            for call_id in lost
        ]
