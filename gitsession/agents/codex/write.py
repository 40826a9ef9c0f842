"""Writes a stored session as a new rollout file that Codex can continue, repaired on its way out.

The file has a new id and names the target's folder. Anything that Codex would take as a permission,
approval or sandbox choice is left out; a line that needs no change keeps its bytes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.codex import find as codex_find
from gitsession.agents.codex.pairs import paired
from gitsession.agents.codex.records import Row, is_human, rows, words
from gitsession.agents.codex.rewrite import Rewriter, new_header, title_event
from gitsession.agents.codex.settings import provider
from gitsession.agents.lenient import compact, mend_surrogates
from gitsession.agents.new_ids import new_id, time_in
from gitsession.agents.pictures import lighter
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session


@dataclass(slots=True)
class Line:
    """One line to be written: its value, and its native bytes while they still match the value."""

    value: dict[str, Any]
    data: bytes | None = None

    @property
    def payload(self) -> dict[str, Any]:
        payload: dict[str, Any] = self.value["payload"]
        return payload


def write(session: Session, target: Target, environment: Environment) -> Written:
    """See `base.Agent.write`. Raises SourceUnreadable if there is no conversation to continue."""
    native_id = target.native_id or new_id()
    seconds = time_in(native_id)
    repairs: Counter[str] = Counter()
    header, lines = _lines(session, repairs)
    if not any(line.value["type"] == "response_item" for line in lines):
        raise SourceUnreadable(
            "there is no message in this version that Codex could continue from",
            hint="choose a later version",
        )
    started = _iso(seconds)
    head = new_header(
        header.payload if header else {}, native_id, target, started, provider(environment)
    )
    rewriter = Rewriter(native_id, target, _old_ids(session, header, lines), repairs)
    kept = [Line(_head_line(head, header, started)), *_rewritten(lines, rewriter)]
    if target.title:
        kept.insert(1, Line(title_event(target.title, started)))
    _lighten(kept, repairs)
    pairs = paired([(one.value, one.data) for one in kept], repairs)
    kept = [Line(value, data) for value, data in pairs]
    if head.get("history_mode") == "paginated":
        _number(kept)
    data = b"".join(_bytes(line) for line in kept)
    main = rollout_path(environment, native_id, seconds)
    worded = [_worded(text, count) for text, count in repairs.items() if count]
    return Written(native_id, main, {main: data}, (*worded, *_not_taken_along(session)))


def _rewritten(lines: list[Line], rewriter: Rewriter) -> Iterator[Line]:
    for line in lines:
        changed = rewriter.changed(line.value)
        if changed is not None:
            yield line if changed is line.value else Line(changed)


def _worded(text: str, count: int) -> str:
    return text if text[:1].isdigit() else f"{count} × {text}"


def _lighten(lines: list[Line], repairs: Counter[str]) -> None:
    """Count only what is sent to the model: events repeat images for the screen alone."""
    sent = [line for line in lines if line.value["type"] in ("response_item", "compacted")]
    values, told = lighter([line.value for line in sent])
    for line, value in zip(sent, values, strict=True):
        if value is not line.value:
            line.value, line.data = value, None
    if told:
        repairs[told] += 1


def _iso(seconds: float) -> str:
    return utc_time(seconds)


def rollout_path(environment: Environment, native_id: str, seconds: float) -> Path:
    """Return where the agent would put a session that began at that time."""
    local = time.localtime(seconds)
    folder = codex_find.home(environment) / "sessions" / time.strftime("%Y/%m/%d", local)
    return folder / f"rollout-{time.strftime('%Y-%m-%dT%H-%M-%S', local)}-{native_id}.jsonl"


def _lines(session: Session, repairs: Counter[str]) -> tuple[Row | None, list[Line]]:
    """Return the session's own header and all other rows, in the format of today's releases."""
    header: Row | None = None
    lines: list[Line] = []
    prompts = _Prompts()
    for record in session.stream().records:
        data, mended = mend_surrogates(record.data)
        repairs["half surrogate replaced"] += mended
        found, damaged = rows(data)
        if damaged:
            repairs["damaged line left out or mended"] += 1
        for row in found:
            if row.kind == "session_meta":
                own = row.payload.get("id") == session.info.native_id
                if header is None or (own and _differs(header, row)):
                    header = row
            elif row.bare:
                lines += prompts.converted(row, session.info.created)
            else:
                whole = not damaged and len(found) == 1
                lines.append(Line(row.value, data if whole else None))
    if prompts.count:
        repairs["record of the form before September 2025 brought to today's form"] += prompts.count
    return header, lines


def _differs(first: Row, other: Row) -> bool:
    # The first header of a session is authoritative; a fork's own header follows its parent's.
    return bool(first.payload.get("id") != other.payload.get("id"))


class _Prompts:
    """Wraps bare rows in an envelope and adds the event that lists show a session by."""

    def __init__(self) -> None:
        self.count = 0

    def converted(self, row: Row, created: str) -> Iterator[Line]:
        if row.kind != "response_item":
            return
        self.count += 1
        stamp = row.time or created or "1970-01-01T00:00:00.000Z"
        payload = {name: value for name, value in row.payload.items() if value is not None}
        payload.pop("timestamp", None)
        if not payload.get("id"):
            payload.pop("id", None)
        yield Line({"timestamp": stamp, "type": "response_item", "payload": payload})
        if is_human(row):
            event = {"type": "user_message", "message": words(payload.get("content")), "images": []}
            yield Line({"timestamp": stamp, "type": "event_msg", "payload": event})


def _head_line(head: dict[str, Any], header: Row | None, started: str) -> dict[str, Any]:
    value = dict(header.value) if header is not None and not header.bare else {}
    value.update(timestamp=started, type="session_meta", payload=head)
    value.pop("metadata", None)
    order = [name for name in ("timestamp", "ordinal", "type", "payload") if name in value]
    if "ordinal" in value:
        value["ordinal"] = 0
    return {name: value[name] for name in order}


def _old_ids(session: Session, header: Row | None, lines: list[Line]) -> frozenset[str]:
    """Return all thread ids that this file's events may have: its own and flattened parents'."""
    ids = {session.info.native_id, session.info.parent}
    if header is not None:
        ids.add(str(header.payload.get("id")))
    for line in lines:
        if line.value["type"] == "token_usage_record":
            ids.add(str(line.payload.get("thread_id")))
    return frozenset(ids - {""})


def _number(lines: list[Line]) -> None:
    """Give every line a higher ordinal than the last: Codex rejects a last line without one."""
    last = -1
    for line in lines:
        ordinal = line.value.get("ordinal")
        if not isinstance(ordinal, int) or ordinal <= last:
            line.value = {**line.value, "ordinal": last + 1}
            line.data = None
        last = line.value["ordinal"]


def _bytes(line: Line) -> bytes:
    if line.data is None:
        return compact(line.value).encode("utf-8") + b"\n"
    return line.data.strip(b" \t\r\n\xef\xbb\xbf") + b"\n"


def _not_taken_along(session: Session) -> Iterator[str]:
    missing = session.carry.get("missing")
    if missing:
        yield f"the history of the parent session {missing} was not there when this was saved"
