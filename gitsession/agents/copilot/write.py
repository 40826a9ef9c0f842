"""Writes a Copilot CLI session that the agent can continue: a new id, one unbroken chain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from gitsession.agents.base import Target, Written
from gitsession.agents.copilot import EVENTS, WORKSPACE, requests, state_folder, subagent_of
from gitsession.agents.copilot.assets import ASSET
from gitsession.agents.lenient import compact, mapping_of, text_of
from gitsession.agents.new_ids import new_random_id
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.pictures import Picture, sentence, too_much
from gitsession.agents.rows import OutRow, Repairs, derived_id, load, new_row
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Info, Session

_CONVERSATION = (
    "user.message",
    "assistant.turn_start",
    "assistant.message",
    "assistant.turn_end",
    "tool.execution_start",
    "tool.execution_complete",
    "session.compaction_start",
    "session.compaction_complete",
    "subagent.started",
    "subagent.completed",
    "subagent.failed",
    ASSET,
    "abort",
)
_OWN = (
    *_CONVERSATION,
    "session.model_change",
    "session.usage_record",
    "session.resume",
    "session.shutdown",
    "session.truncation",
    "system.message",
)
"""Everything else (hooks, trusted folders, modes, permissions, unknown events) is left behind."""
_SIGNED = ("reasoningOpaque", "encryptedContent")
_PRIVATE = (*_SIGNED, "transformedContent")


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or new_random_id()
    repairs = Repairs()
    rows = load(session.stream().records, repairs)
    start = next((row.row for row in rows if row.row.get("type") == "session.start"), {})
    kept = _kept(rows, target, repairs)
    if not any(row.row["type"] in ("user.message", "assistant.message") for row in kept):
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    cwd = os.path.realpath(target.cwd)
    chain = [new_row(start_event(session.info, mapping_of(start), native_id, cwd))]
    chain += _paired(kept, native_id, repairs)
    before: str | None = None
    for number, row in enumerate(chain):
        row.set("parentId", before)
        _move(row, cwd)
        if not text_of(row.row.get("id")):
            row.set("id", derived_id(native_id, str(number)))
        before = text_of(row.row.get("id")) or before
    folder = state_folder(environment) / native_id
    main = folder / EVENTS
    data = b"".join(row.render() for row in chain)
    files = {folder / WORKSPACE: workspace_file(session.info, target, native_id, cwd), main: data}
    return Written(native_id, main, files, repairs.texts())


def start_event(info: Info, old: dict[str, object], native_id: str, cwd: str) -> dict[str, object]:
    """Return the first event of the session; `old` is its previous one, empty if there is none."""
    told = mapping_of(old.get("data"))
    data = {
        "sessionId": native_id,
        "version": told.get("version", 1),
        "producer": "copilot-agent",
        "copilotVersion": info.agent_version,
        "startTime": info.created,
        "context": {"cwd": cwd},
    }
    if text_of(told.get("selectedModel")):
        data["selectedModel"] = told["selectedModel"]
    return {
        "type": "session.start",
        "data": data,
        "id": derived_id(native_id, "start"),
        "timestamp": info.created,
        "parentId": None,
    }


def workspace_file(info: Info, target: Target, native_id: str, cwd: str) -> bytes:
    """Return what the agent's own list shows; strings are JSON, which YAML can read."""
    title = " ".join((target.title or info.title).split())
    values = (
        ("id", native_id),
        ("cwd", cwd),
        ("name", title),
        ("user_named", bool(target.title)),
        ("created_at", info.created),
        ("updated_at", info.updated),
    )
    return "".join(f"{key}: {compact(value)}\n" for key, value in values).encode()


def _kept(rows: Iterable[OutRow], target: Target, repairs: Repairs) -> list[OutRow]:
    allowed = _CONVERSATION if target.foreign else _OWN
    kept, gone = [], 0
    for row in rows:
        if row.row.get("type") not in allowed:
            gone += row.row.get("type") == "system.message"
            continue
        _unsign(row, repairs, foreign=target.foreign)
        kept.append(row)
    repairs.note("{} record{s} of another user's settings and prompts left out", gone)
    return _lighter(kept, repairs)


def _lighter(rows: list[OutRow], repairs: Repairs) -> list[OutRow]:
    """Leave out the bytes of images that are too much for one request.

    The agent itself then notes that they are missing.
    """
    assets = [row for row in rows if row.row["type"] == ASSET]
    data = [mapping_of(row.row.get("data")) for row in assets]
    found = [Picture(text_of(d.get("mimeType")), len(text_of(d.get("data")))) for d in data]
    gone = too_much(found)
    if not gone:
        return rows
    repairs.note(sentence(found, gone))
    left_out = {id(assets[place]) for place in gone}
    return [row for row in rows if id(row) not in left_out]


def _unsign(row: OutRow, repairs: Repairs, *, foreign: bool) -> None:
    """Remove reasoning that its service would refuse and, if `foreign`, private members."""
    data = mapping_of(row.row.get("data"))
    gone = [key for key in _SIGNED if "REDACTED" in text_of(data.get(key))]
    repairs.note("{} thinking block{s} without a valid signature left out", len(gone))
    names = set(gone) | (set(_PRIVATE) & data.keys() if foreign else set())
    if names:
        row.set("data", {key: value for key, value in data.items() if key not in names})


def _move(row: OutRow, cwd: str) -> None:
    data = mapping_of(row.row.get("data"))
    context = mapping_of(data.get("context"))
    if row.row.get("type") == "session.resume" and context:
        row.set("data", {**data, "context": {"cwd": cwd}})


def _paired(rows: list[OutRow], native_id: str, repairs: Repairs) -> Iterator[OutRow]:
    """Yield every call with exactly one result, before anything else is said."""
    waiting: dict[str, OutRow] = {}
    for row in rows:
        kind, data = row.row["type"], mapping_of(row.row.get("data"))
        if subagent_of(row.row):
            yield row
            continue
        if kind in ("user.message", "assistant.message"):
            yield from _interrupted(waiting, native_id, repairs)
            waiting = {call["toolCallId"]: row for call in requests(row.row)}
        elif kind == "tool.execution_complete" and (
            waiting.pop(text_of(data.get("toolCallId")), None) is None
        ):
            repairs.note("{} tool result{s} without a call left out")
            continue
        yield row
    yield from _interrupted(waiting, native_id, repairs)


def _interrupted(waiting: dict[str, OutRow], native_id: str, repairs: Repairs) -> Iterator[OutRow]:
    repairs.note("{} tool call{s} without result marked as interrupted", len(waiting))
    for call_id, call in waiting.items():
        data = {
            "toolCallId": call_id,
            "success": False,
            "result": {"content": INTERRUPTED},
            "error": {"message": INTERRUPTED, "code": "interrupted"},
        }
        yield new_row(
            {
                "type": "tool.execution_complete",
                "data": data,
                "id": derived_id(native_id, call_id),
                "timestamp": call.row.get("timestamp"),
                "parentId": None,
            }
        )
