"""Writes a file for `opencode import`: a whole session under ids that it has never seen.

Import keeps every message it already knows, so all ids are new. It assigns the session to the
project of the folder in which it runs.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import compact, list_of, mapping_of, mend_surrogates, text_of
from gitsession.agents.opencode import outputs as outputs
from gitsession.agents.opencode.form import Values, document, undone_from
from gitsession.agents.opencode.ids import NewIds, Renamed, new_session_id
from gitsession.agents.opencode.model import chosen_model
from gitsession.agents.opencode_family import Member, data_folder
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.rows import Repairs
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session

_KEPT = ("slug", "version", "cost", "tokens", "summary", "time", "metadata")
_USERS = ("tools", "permission", "mode")
_FOREIGN = ("system", "snapshot")
_LOCAL_PARTS = ("snapshot", "patch")
_OWN_NAMES = ("id", "sessionID", "messageID")
_EPOCH = 1_577_836_800_000


def fresh_id() -> str:
    """Return a session id for now."""
    return new_session_id(time.time_ns() // 1_000_000, os.urandom(16).hex())


def write(session: Session, target: Target, environment: Environment, member: Member) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or fresh_id()
    repairs = Repairs()
    _note_damage(session, repairs)
    told = document(session)
    messages = told.messages[: undone_from(told)]
    if not any(m["info"].get("role") in ("user", "assistant") for m in messages):
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    cwd = os.path.realpath(target.cwd)
    info = _info(session, told.info, target, native_id, cwd)
    if target.foreign:  # this user may not have its author's model
        info |= chosen_model(environment, member)
    _note_rules(told.info, messages, repairs)
    target = target._replace(cwd=cwd)
    renamed = _renamed(messages, native_id, target, member.mode, repairs)
    home = data_folder(member, environment)
    files = _long_outputs(renamed, session, home / outputs.FOLDER)
    value = {"info": info, "messages": renamed}
    written = waiting(home, native_id, value, repairs.texts())
    return written._replace(files={**files, **written.files})


def waiting(home: Path, native_id: str, value: Values, repairs: tuple[str, ...]) -> Written:
    """Return a session as a file that awaits its import.

    It is below the agent's own data, which is never shared.
    """
    main = home / "gitsession" / f"{native_id}.json"
    data = compact(value).encode("utf-8", "replace") + b"\n"
    return Written(native_id, main, {main: data}, repairs)


def _long_outputs(messages: list[Values], session: Session, top: Path) -> dict[Path, bytes]:
    """Return the stored outputs that messages show in part, as new files named by the messages."""
    stored = outputs.kept(session)
    files: dict[Path, bytes] = {}
    for message in messages:
        for place, part in enumerate(message["parts"]):
            data = stored.get(outputs.output_name(part))
            if data is not None:
                path = top / part["id"].replace("prt_", "tool_", 1)
                message["parts"][place] = outputs.moved(part, str(path))
                files[path] = data
    return files


def _note_rules(info: Values, messages: list[Values], repairs: Repairs) -> None:
    """Report the permission rules of the session, which are not carried over."""
    rules = len(list_of(info.get("permission")))
    rules += sum(len(mapping_of(message["info"].get("tools"))) for message in messages)
    repairs.note("{} permission rule{s} left out", rules)


def _note_damage(session: Session, repairs: Repairs) -> None:
    count = sum(mend_surrogates(record.data)[1] for record in session.stream().records)
    repairs.note("{} half surrogate{s} replaced", count)
    repairs.note("{} damaged record{s} left out", session.counts.damaged)


def _info(
    session: Session, old: Values, target: Target, native_id: str, cwd: str
) -> dict[str, Any]:
    kept = {key: old[key] for key in _KEPT if key in old}
    if target.foreign:
        kept.pop("metadata", None)
    title = " ".join((target.title or session.info.title).split())
    return {
        "slug": "session",
        "version": session.info.agent_version,
        "time": {"created": _EPOCH, "updated": _EPOCH},
        **kept,
        "id": native_id,
        "projectID": "global",
        "directory": cwd,
        "title": title,
    }


def _renamed(
    messages: list[Values], native_id: str, target: Target, mode: str, repairs: Repairs
) -> list[Values]:
    """Return the messages under new ids, their links redirected to these."""
    shapes = [(text_of(m["info"].get("id")), len(list_of(m["parts"]))) for m in messages]
    ids = Renamed(NewIds(native_id, sum(1 + parts for _, parts in shapes)), shapes)
    made: list[Values] = []
    asked = ""
    for old, (name, names) in zip(messages, ids.messages, strict=True):
        mine = {"sessionID": native_id, "id": name}
        info = _message(old["info"], target, mode) | mine
        if info.get("role") == "assistant":
            info["parentID"] = ids.link(text_of(info.get("parentID"))) or asked or name
        else:
            asked = name
        found = map(mapping_of, list_of(old["parts"]))
        parts = [
            _linked(_whole(_part(part, target), repairs), ids, native_id, name, own)
            for part, own in zip(found, names, strict=True)
            if not _is_left(part, target, repairs)
        ]
        made.append({"info": info, "parts": parts})
    return made


def _message(old: Values, target: Target, mode: str) -> Values:
    dropped = (*_USERS, *(_FOREIGN if target.foreign else ()))
    info = {key: value for key, value in old.items() if key not in dropped}
    info["agent"] = mode
    if old.get("role") == "assistant":
        info |= {"mode": mode, "path": {"cwd": target.cwd, "root": target.cwd}}
        info = {**unused(), "modelID": "", "providerID": "", **info}
    return info


def unused() -> Values:
    """Return the cost that import requires of an answer: zero."""
    none = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    return {"cost": 0, "tokens": none}


def _is_left(part: Values, target: Target, repairs: Repairs) -> bool:
    """Whether a part stays behind because it names what only its author's machine has."""
    if not target.foreign or text_of(part.get("type")) not in _LOCAL_PARTS:
        return False
    repairs.note("{} record{s} of another user's settings and prompts left out")
    return True


def _part(part: Values, target: Target) -> Values:
    if not target.foreign:
        return part
    return {key: value for key, value in part.items() if key not in _FOREIGN}


def _linked(part: Values, ids: Renamed, native_id: str, message: str, name: str) -> Values:
    part = part | {"id": name, "sessionID": native_id, "messageID": message}
    if "tail_start_id" in part:
        start = ids.link(text_of(part.pop("tail_start_id")))
        part |= {"tail_start_id": start} if start else {}
    state = mapping_of(part.get("state"))
    pictures = list(map(mapping_of, list_of(state.get("attachments"))))
    if pictures:
        own = {"sessionID": native_id, "messageID": message}
        beside = [one | {key: own.get(key, f"{name}{number}") for key in _OWN_NAMES if key in one}
                  for number, one in enumerate(pictures)]  # fmt: skip
        part["state"] = {**state, "attachments": beside}
    return part


def _whole(part: Values, repairs: Repairs) -> dict[str, Any]:
    """Return a part that a service accepts: every call has ended, no signature is broken."""
    state = mapping_of(part.get("state"))
    if part.get("type") == "tool" and state.get("status") not in ("completed", "error"):
        repairs.note("{} tool call{s} without result marked as interrupted")
        start = mapping_of(state.get("time")).get("start", _EPOCH)
        ended = {
            "status": "error",
            "input": mapping_of(state.get("input")),
            "error": INTERRUPTED,
            "time": {"start": start, "end": start},
        }
        return {**part, "state": ended}
    metadata = part.get("metadata")
    if metadata is not None and "REDACTED" in compact(metadata) and part.get("type") != "tool":
        repairs.note("{} thinking block{s} without a valid signature left out")
        return {key: value for key, value in part.items() if key != "metadata"}
    return dict(part)
