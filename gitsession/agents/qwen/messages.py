"""The conversation of a Qwen Code session as messages, along the branch of its last record."""

from __future__ import annotations

from gitsession.agents import parts
from gitsession.agents.lenient import text_of
from gitsession.agents.links import active_branch, rows_of
from gitsession.agents.qwen.records import (
    Row,
    calls,
    content,
    failed,
    in_tree,
    results,
    role,
    summary_text,
    usage,
)
from gitsession.agents.times import utc_time
from gitsession.model.message import Message, Part
from gitsession.model.session import Session


def messages(session: Session) -> tuple[Message, ...]:
    """Return one Message per prompt, answer, note and compression; results follow their calls."""
    rows, records = rows_of(session.stream())
    branch = active_branch(rows, "uuid", "parentUuid", in_tree)
    on = [rows[at] for at in branch.positions]
    known = {call_id for row in on for call_id, _, _ in calls(row)}
    answers: dict[str, list[Part]] = {}
    for row in on:
        given = results(row)
        beside = parts.native_parts(content(row)) if len(given) == 1 else ()
        for response in given:
            part = parts.result_part(response, failed=failed(row), beside=beside)
            if part.call_id in known:
                answers.setdefault(part.call_id, []).append(part)
    found = []
    for at in branch.positions:
        said = _parts(rows[at], answers)
        if said:
            found.append(_message(rows[at], records[at], said, gap=at in branch.gaps))
    return tuple(found)


def _parts(row: Row, answers: dict[str, list[Part]]) -> list[Part]:
    if role(row) == "system":
        return [Part("compaction", summary_text(row))]
    if not role(row):
        return []
    found: list[Part] = []
    for native in parts.native_parts(content(row)):
        part = parts.part_of(native)
        if part.kind == "tool_result":
            continue
        found.append(part)
        if part.kind == "tool_call":
            found += answers.pop(part.call_id, [])
    return found


def _message(row: Row, record: int, said: list[Part], *, gap: bool) -> Message:
    return Message(
        role=role(row),
        parts=tuple(said),
        time=utc_time(row.get("timestamp")),
        model=text_of(row.get("model")),
        native_id=text_of(row.get("uuid")),
        record=record,
        usage=usage(row),
        extra={"gap": True} if gap else {},
    )
