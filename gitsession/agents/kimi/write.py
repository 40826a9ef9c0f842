"""Writes a Kimi Code session that the agent can continue: new id, new folder, the shown branch."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.kimi.blobs import PATH
from gitsession.agents.kimi.find import AGENT_NAME, MAIN, STATE, WIRE, folder_name, home
from gitsession.agents.kimi.light import lighten, mend_thoughts
from gitsession.agents.kimi.records import Row, call, event, is_header, message, role, variant
from gitsession.agents.kimi.shown import shown
from gitsession.agents.lenient import compact, number_of, text_of
from gitsession.agents.links import rows_of
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.permissions import FIELDS
from gitsession.agents.rows import OutRow, Repairs, derived_id, load, new_row
from gitsession.agents.times import milliseconds
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.record import Stream
from gitsession.model.session import Info, Session

VERSION = "1.5"
_CONVERSATION = (
    "context.append_message",
    "context.append_loop_event",
    "context.apply_compaction",
    "context.clear",
    "context.undo",
    "turn.prompt",
    "turn.steer",
    "turn.ended",
    "turn.cancel",
)
"""Everything else (permissions, goals, plans, background work, unknown events) is left behind."""
_BINDING = ("profile.bind", "config.update")
_MODES = ("permission_mode", "plan_mode", "swarm_mode", "goal")
_ENDS = ("step.begin", "step.end")


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or f"session_{uuid.uuid4()}"
    cwd = os.path.realpath(target.cwd)
    repairs = Repairs()
    folder = session_folder(environment, cwd, native_id)
    stays = not target.foreign and os.path.realpath(session.info.cwd or "/") == cwd
    rows = {
        agent: _log(stream, target, repairs, native_id, stays=stays)
        for agent, stream in _streams(session)
    }
    if not any(message(row.row) or event(row.row) for row in rows.get(MAIN, ())):
        raise SourceUnreadable(
            "this version holds no conversation that could be continued",
            hint="choose a later version",
        )
    held = {one.path: one.data for one in session.sidecars if PATH.fullmatch(one.path)}
    lighten(rows[MAIN], {path: len(data) for path, data in held.items()}, repairs)
    main = folder / "agents" / MAIN / WIRE
    files = {main.parent / path: data for path, data in held.items()}
    for agent, told in rows.items():
        if agent != MAIN:
            files[folder / "agents" / agent / WIRE] = _bytes(told)
    labels = _labels(session.stream())
    known = {agent: labels.get(agent, {}) for agent in rows}
    files[folder / STATE] = state_file(session.info, target, folder, known)
    return Written(native_id, main, {**files, main: _bytes(rows[MAIN])}, repairs.texts())


def _streams(session: Session) -> Iterator[tuple[str, Stream]]:
    """Yield each stream with the name of the agent whose log it is."""
    for stream in session.streams:
        agent = stream.name.removeprefix("subagents/")
        whose = (agent == stream.name) == (agent == MAIN)
        if stream.records and whose and AGENT_NAME.fullmatch(agent):
            yield agent, stream


def _bytes(rows: Iterable[OutRow]) -> bytes:
    return b"".join(row.render() for row in rows)


def session_folder(environment: Environment, cwd: str, native_id: str) -> Path:
    return home(environment) / "sessions" / folder_name(cwd) / native_id


def state_file(
    info: Info, target: Target, folder: Path, agents: dict[str, dict[str, str]]
) -> bytes:
    """Return what the agent's own list shows, and which agents have logs, with their labels."""
    logs = folder / "agents"
    known: dict[str, Any] = {MAIN: {"homedir": str(logs / MAIN), "type": "main"}}
    for name, labels in agents.items():
        if name != MAIN:
            above = labels.get("parentAgentId", MAIN)
            known[name] = {"homedir": str(logs / name), "type": "sub", "parentAgentId": above,
                           "labels": {"parentAgentId": above, **labels}}  # fmt: skip
    state = {
        "id": folder.name,
        "version": 2,
        "cwd": os.path.realpath(target.cwd),
        "createdAt": milliseconds(info.created),
        "updatedAt": milliseconds(info.updated),
        "archived": False,
        "agents": known,
        "custom": {},
        "title": " ".join((target.title or info.title).split()),
        "titleKind": "custom",
        "isCustomTitle": True,
    }
    return compact(state).encode("utf-8", "replace") + b"\n"


def _log(
    stream: Stream, target: Target, repairs: Repairs, native_id: str, *, stays: bool
) -> list[OutRow]:
    rows, records = rows_of(stream)
    on = {records[position] for position in shown(rows, records)}
    damaged = {number for number in range(stream.count) if number not in set(records)}
    kept = load(
        (r for number, r in enumerate(stream.records, stream.first) if number in on | damaged),
        repairs,
    )
    created = next((row.row.get("created_at") for row in kept if is_header(row.row)), 0)
    header = {"type": "metadata", "protocol_version": _version(kept), "created_at": created}
    told = mend_thoughts(
        list(_told(kept, target, repairs, stays=stays)), repairs, foreign=target.foreign
    )
    for row in told:
        row.drop_all(FIELDS)
    return [new_row(header), *_paired(told, native_id, repairs)]


def _version(rows: Iterable[OutRow]) -> str:
    """Return the format version of the events: a newer release converts an older format itself."""
    heads = (text_of(row.row.get("protocol_version")) for row in rows if is_header(row.row))
    return next(heads, "") or VERSION


def _told(rows: list[OutRow], target: Target, repairs: Repairs, *, stays: bool) -> Iterator[OutRow]:
    """Yield the conversation, and the agent's instructions if the session stays in its folder.

    The instructions describe that folder. For another folder the agent is told to generate new
    ones.
    """
    gone = left = 0
    for row in rows:
        kind, told = row.row.get("type"), message(row.row)
        if kind in _BINDING and stays:
            yield row
        elif kind not in _CONVERSATION:
            left += kind in _BINDING and "systemPrompt" in row.row
        elif variant(told) in _MODES or (target.foreign and told and role(told) == "note"):
            gone += 1
            left += target.foreign
        else:
            if kind == "context.apply_compaction":
                _move_compaction(row, gone, foreign=target.foreign)
                gone = 0
            if not stays and "display" in event(row.row):
                told = event(row.row)
                row.set("event", {key: told[key] for key in told if key != "display"})
            yield row
    if target.foreign:
        repairs.note("{} record{s} of another user's settings and prompts left out", left)


def _move_compaction(row: OutRow, gone: int, *, foreign: bool) -> None:
    """Drop the lines and paths of the old log from a compaction; older releases count messages."""
    row.drop("wireLines")
    if foreign and text_of(row.row.get("summary")):
        row.drop("contextSummary")
    if gone and "keptUserMessageCount" not in row.row:
        row.set("compactedCount", max(0, number_of(row.row.get("compactedCount")) - gone))


def _paired(rows: list[OutRow], native_id: str, repairs: Repairs) -> Iterator[OutRow]:
    """Yield every call with exactly one result, before its step ends or anything else begins."""
    waiting: dict[str, OutRow] = {}
    for row in rows:
        told = event(row.row)
        kind = told.get("type")
        if kind == "tool.result":
            if waiting.pop(text_of(told.get("toolCallId")), None) is None:
                repairs.note("{} tool result{s} without a call left out")
                continue
        elif kind in _ENDS or (not told and not _may_wait(row.row)):
            yield from _interrupted(waiting, native_id, repairs)
            waiting = {}
        yield row
        if kind == "tool.call":
            waiting[call(told)[0]] = row
    yield from _interrupted(waiting, native_id, repairs)


def _may_wait(row: Row) -> bool:
    """Whether the row may come between a call and its result; messages then move behind that."""
    return bool(message(row)) or row.get("type") == "turn.steer"


def _interrupted(waiting: dict[str, OutRow], native_id: str, repairs: Repairs) -> Iterator[OutRow]:
    repairs.note("{} tool call{s} without result marked as interrupted", len(waiting))
    for call_id, asked in waiting.items():
        named = text_of(event(asked.row).get("uuid")) or derived_id(native_id, call_id)
        answer = {"output": INTERRUPTED, "isError": True}
        told = {"type": "tool.result", "parentUuid": named, "toolCallId": call_id, "result": answer}
        row = {"type": "context.append_loop_event", "agentId": asked.row.get("agentId", MAIN),
               "event": told, "time": asked.row.get("time")}  # fmt: skip
        yield new_row(row)


def _labels(stream: Stream) -> dict[str, dict[str, str]]:
    """Return, for each subagent, its profile and the agent that started it."""
    found: dict[str, dict[str, str]] = {}
    for row in rows_of(stream)[0]:
        name = text_of(row.get("subagentId"))
        if row.get("type") == "subagent.spawned" and name:
            kind, above = text_of(row.get("subagentName")), text_of(row.get("parentAgentId"))
            found[name] = {"parentAgentId": above or MAIN, "profileName": kind or "coder"}
    return found
