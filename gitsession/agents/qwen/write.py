"""Writes a Qwen Code session that the agent can continue: new id, new folder, same history."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from gitsession.agents import parts
from gitsession.agents.base import Target, Written
from gitsession.agents.envelope import moved_cwd
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.links import active_branch
from gitsession.agents.links_repair import repair
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.permissions import FIELDS
from gitsession.agents.qwen import sides as qwen_sides
from gitsession.agents.qwen.find import chats
from gitsession.agents.qwen.records import (
    CONVERSATION,
    LINKS,
    Row,
    calls,
    content,
    in_tree,
    results,
    unhooked,
)
from gitsession.agents.rows import OutRow, Repairs, derived_id, lighten, load, new_row, without
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.record import Stream
from gitsession.model.session import Session

NEVER = (
    "parent_session", "session_source", "session_sources_snapshot", "turn_result",
    "file_history_snapshot", "goal_state", "goal_runtime", "branch_checkpoint",
)  # fmt: skip
"""System records that belong to the old id alone, or would start the agent working on its own."""

_FIELDS = {
    "uuid", "parentUuid", "sessionId", "timestamp", "type", "provenance", "cwd", "version",
    "model", "message", "usageMetadata", "subtype", "systemPayload", "toolCallResult",
    "agentId", "agentName", "isSidechain",
}  # fmt: skip
_ENVELOPE = ("sessionId", "timestamp", "cwd", "version", "gitBranch")


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or str(uuid.uuid4())
    repairs = Repairs()
    rows = _rows(session, session.stream(), native_id, target, repairs)
    if not any(row.row.get("type") in CONVERSATION for row in rows):
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    if target.title:
        rows.append(_title(rows, target.title, native_id))
    main = chats(environment, os.path.realpath(target.cwd)) / f"{native_id}.jsonl"
    files = _beside(session, main, native_id, target, repairs)
    files[main] = b"".join(row.render() for row in rows)
    return Written(native_id, main, files, repairs.texts())


def _rows(
    session: Session, stream: Stream, native_id: str, target: Target, repairs: Repairs
) -> list[OutRow]:
    rows = [row for row in load(stream.records, repairs) if in_tree(row.row)]
    rows = without(rows, [row for row in rows if row.row.get("subtype") in NEVER], links=LINKS)
    if target.foreign:
        rows = _shared(rows, repairs)
    lighten(rows, repairs)
    for row in rows:
        _rename(row, session.info.cwd, native_id, target)
        _mend_signatures(row, repairs)
    return repair(rows, QwenShape(), native_id, repairs)


def _beside(
    session: Session, main: Path, native_id: str, target: Target, repairs: Repairs
) -> dict[Path, bytes]:
    """Return the subagents' transcripts under the new id, and their descriptions."""
    folder = qwen_sides.folder(main, native_id)
    files: dict[Path, bytes] = {}
    for stream in session.streams:
        named = qwen_sides.STREAM.fullmatch(stream.name)
        if named and stream.records:
            rows = _rows(session, stream, native_id, target, repairs)
            files[folder / f"agent-{named[1]}.jsonl"] = b"".join(row.render() for row in rows)
    for sidecar in session.sidecars:
        if qwen_sides.META.fullmatch(sidecar.path):
            told = qwen_sides.moved_meta(sidecar, native_id, foreign=target.foreign)
            files[folder / sidecar.path.rpartition("/")[2]] = told
    return files


def _shared(rows: list[OutRow], repairs: Repairs) -> list[OutRow]:
    """Keep only what may be written of another user's session: the conversation."""
    gone = [row for row in rows if not _is_conversation(row.row)]
    repairs.note("{} record{s} of another user's settings and prompts left out", len(gone))
    rows = without(rows, gone, links=LINKS)
    for row in rows:
        for key in [key for key in row.row if key not in _FIELDS]:
            row.drop(key)
        payload = mapping_of(row.row.get("systemPayload"))
        if row.row.get("type") == "user" and "hookContext" in payload:
            row.set("message", {**row.row["message"], "parts": unhooked(content(row.row))})
            row.set("systemPayload", {k: v for k, v in payload.items() if k != "hookContext"})
        told = mapping_of(row.row.get("toolCallResult"))
        if "resultDisplay" in told:
            kept = {key: value for key, value in told.items() if key != "resultDisplay"}
            row.set("toolCallResult", kept)
    return rows


def _is_conversation(row: Row) -> bool:
    return row.get("type") in CONVERSATION or row.get("subtype") == "chat_compression"


def _rename(row: OutRow, old_cwd: str, native_id: str, target: Target) -> None:
    row.set("sessionId", native_id)
    if isinstance(row.row.get("cwd"), str):
        cwd = moved_cwd(row.row["cwd"], old_cwd, target.cwd, foreign=target.foreign)
        row.set("cwd", cwd)
    row.drop_all((*FIELDS, "goalContext"))


def _mend_signatures(row: OutRow, repairs: Repairs) -> None:
    given = parts.native_parts(content(row.row)) if row.row.get("type") == "assistant" else []
    kept, count = parts.without_masked_signatures(given)
    if count:
        row.set("message", {**row.row["message"], "parts": kept})
        repairs.note("{} thinking block{s} without a valid signature left out", count)


def _title(rows: list[OutRow], title: str, native_id: str) -> OutRow:
    """Return the row that sets the session's name in the agent's own list."""
    on = active_branch([row.row for row in rows], "uuid", "parentUuid", in_tree).positions
    leaf = rows[on[-1]].row
    row = {
        "uuid": derived_id(native_id, "title"),
        "parentUuid": leaf["uuid"],
        **{key: leaf[key] for key in _ENVELOPE if key in leaf},
        "type": "system",
        "subtype": "custom_title",
        "systemPayload": {"customTitle": " ".join(title.split()), "titleSource": "manual"},
    }
    return new_row(row)


class QwenShape:
    """See `links_repair.Shape`."""

    name = "uuid"
    links = LINKS

    def belongs(self, row: Row) -> bool:
        return in_tree(row)

    def speaks(self, row: Row) -> bool:
        return row.get("type") in ("user", "assistant")

    def calls(self, row: Row) -> list[str]:
        return [call_id for call_id, _, _ in calls(row)]

    def results(self, row: Row) -> list[str]:
        return [text_of(response.get("id")) for response in results(row)]

    def strip(self, row: OutRow, gone: set[int]) -> bool:
        kept: list[parts.NativePart] = []
        place = -1
        for part in parts.native_parts(content(row.row)):
            place += "functionResponse" in part
            if not ("functionResponse" in part and place in gone):
                kept.append(part)
        row.set("message", {**row.row["message"], "parts": kept})
        return not kept

    def interrupted(self, call: OutRow, lost: list[str], native_id: str) -> list[Row]:
        names = {call_id: name for call_id, name, _ in calls(call.row)}
        return [
            {
                "uuid": derived_id(native_id, call_id),
                "parentUuid": None,
                **{key: call.row[key] for key in _ENVELOPE if key in call.row},
                "type": "tool_result",
                "message": {
                    "role": "user",
                    "parts": [
                        {
                            "functionResponse": {
                                "id": call_id,
                                "name": names[call_id],
                                "response": {"error": INTERRUPTED},
                            }
                        }
                    ],
                },
                "toolCallResult": {"callId": call_id, "status": "cancelled"},
            }
            for call_id in lost
        ]
