"""Writes what `opencode import` takes: a whole session under ids that it has never seen.

Import keeps every message it knows, so all ids are new; it puts the session into the project of the
folder in which it is run.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import compact, list_of, mapping_of, mend_surrogates, text_of
from gitsession.agents.opencode_form import Values, document
from gitsession.agents.pairs import INTERRUPTED
from gitsession.agents.rows import Repairs
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MASK = (1 << 48) - 1
_ID = re.compile(r"(?:msg|prt)_([0-9a-f]{12})\w{14}")
_KEPT = ("slug", "version", "cost", "tokens", "summary", "time", "metadata")
_MODE = "build"
_USERS = ("tools", "permission", "mode")
_FOREIGN = ("system", "snapshot")
_LOCAL_PARTS = ("snapshot", "patch")
_EPOCH = 1_577_836_800_000


def new_session_id(milliseconds: int, seed: str) -> str:
    """`ses_…`, of which a newer one sorts first."""
    return f"ses_{~(milliseconds * 0x1000 + 1) & _MASK:012x}{_tail(seed)}"


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Bytes only; nothing touches the disk. Raises SourceUnreadable if there is no conversation."""
    now = time.time_ns() // 1_000_000
    native_id = target.native_id or new_session_id(now, os.urandom(16).hex())
    repairs = Repairs()
    _note_damage(session, repairs)
    told = document(session)
    gone = text_of(mapping_of(told.info.get("revert")).get("messageID"))
    names = [text_of(message["info"].get("id")) for message in told.messages]
    messages = told.messages[: names.index(gone)] if gone in names else told.messages
    if not any(m["info"].get("role") in ("user", "assistant") for m in messages):
        raise SourceUnreadable(
            "this version holds no conversation that could be continued",
            hint="choose a later version",
        )
    cwd = os.path.realpath(target.cwd)
    ids = _Ids(native_id)
    value = {
        "info": _info(session, told.info, target, native_id, cwd),
        "messages": [_message(one, ids, target, cwd, repairs) for one in messages],
    }
    main = folder(environment) / f"{native_id}.json"
    data = compact(value).encode("utf-8", "replace") + b"\n"
    return Written(native_id, main, {main: data}, repairs.texts())


def folder(environment: Environment) -> Path:
    """Where files wait for their import: below the agent's own data, which is never shared."""
    from gitsession.agents.opencode import AGENT

    return AGENT.home(environment) / "gitsession"


def _note_damage(session: Session, repairs: Repairs) -> None:
    count = sum(mend_surrogates(record.data)[1] for record in session.stream().records)
    repairs.note("{} half surrogate{s} replaced", count)
    repairs.note("{} damaged record{s} left out", session.counts.damaged)


class _Ids:
    """New ids for old ones: the same old one gives the same new one, and their order stays."""

    def __init__(self, native_id: str) -> None:
        self.native_id = native_id
        self._count = 0
        self._given: dict[str, str] = {}

    def __call__(self, kind: str, old: str) -> str:
        if old in self._given:
            return self._given[old]
        self._count += 1
        match = _ID.fullmatch(old)
        moment = match[1] if match else f"{_EPOCH * 0x1000 + self._count & _MASK:012x}"
        made = f"{kind}_{moment}{_tail(self.native_id, old or str(self._count))}"
        if old:
            self._given[old] = made
        return made


def _tail(*seed: str) -> str:
    number = int.from_bytes(hashlib.sha256("\n".join(seed).encode("utf-8", "replace")).digest())
    letters = []
    for _ in range(14):
        number, rest = divmod(number, 62)
        letters.append(_LETTERS[rest])
    return "".join(letters)


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


def _message(
    message: Values, ids: _Ids, target: Target, cwd: str, repairs: Repairs
) -> dict[str, Any]:
    old = message["info"]
    dropped = (*_USERS, *(_FOREIGN if target.foreign else ()))
    info = {key: value for key, value in old.items() if key not in dropped}
    name = ids("msg", text_of(old.get("id")))
    info |= {"id": name, "sessionID": ids.native_id, "agent": _MODE}
    if old.get("role") == "assistant":
        info["mode"] = _MODE
        info["path"] = {"cwd": cwd, "root": cwd}
        info["parentID"] = ids("msg", text_of(old.get("parentID")))
        info.setdefault("cost", 0)
        info.setdefault("tokens", {"input": 0, "output": 0, "reasoning": 0,
                                   "cache": {"read": 0, "write": 0}})  # fmt: skip
        info.setdefault("modelID", "")
        info.setdefault("providerID", "")
    parts = list(_parts(message, ids, name, target, repairs))
    return {"info": info, "parts": parts}


def _parts(
    message: Values, ids: _Ids, name: str, target: Target, repairs: Repairs
) -> Iterator[dict[str, Any]]:
    for old in map(mapping_of, list_of(message["parts"])):
        kind = text_of(old.get("type"))
        if target.foreign and kind in _LOCAL_PARTS:
            repairs.note("{} record{s} of another user's settings and prompts left out")
            continue
        part = _whole(old, repairs)
        if target.foreign:
            part = {key: value for key, value in part.items() if key not in _FOREIGN}
        part |= {
            "id": ids("prt", text_of(old.get("id"))),
            "sessionID": ids.native_id,
            "messageID": name,
        }
        if text_of(part.get("tail_start_id")):
            part["tail_start_id"] = ids("msg", part["tail_start_id"])
        yield part


def _whole(part: Values, repairs: Repairs) -> dict[str, Any]:
    """A part as a service would take it: a call has ended, no signature is broken."""
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
