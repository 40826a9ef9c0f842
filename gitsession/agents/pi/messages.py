"""The conversation of a pi session as messages, along the branch that ends in the last entry."""

from __future__ import annotations

from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.links import active_branch, rows_of
from gitsession.agents.pi.records import (
    Row,
    answered_call,
    blocks,
    calls,
    counts_as_message,
    is_entry,
    message,
    speaker,
    text_in,
    usage,
)
from gitsession.agents.times import utc_time
from gitsession.model.message import Message, Part
from gitsession.model.session import Session

_ROLES = {"user": "user", "assistant": "assistant", "system": "system"}


def messages(session: Session) -> tuple[Message, ...]:
    """Return one Message per entry that says something; its `extra` has the user's label."""
    rows, records = rows_of(session.stream())
    branch = active_branch(rows, "id", "parentId", is_entry)
    on = [rows[at] for at in branch.positions]
    known = {call_id for row in on for call_id, _, _ in calls(row)}
    results: dict[str, list[Part]] = {}
    for row in on:
        if answered_call(row) in known:
            results.setdefault(answered_call(row), []).append(_result(message(row)))
    labels = _labels(rows)
    found = []
    for at in branch.positions:
        row = rows[at]
        if counts_as_message(row) or (answered_call(row) and answered_call(row) not in known):
            extra: dict[str, object] = {"gap": True} if at in branch.gaps else {}
            if label := labels.get(text_of(row.get("id"))):
                extra["label"] = label
            found.append(_message(row, records[at], results, extra))
    return tuple(found)


def _labels(rows: list[Row]) -> dict[str, str]:
    """Return target entry → label: the last one if there are several, "" if it was removed."""
    return {
        text_of(row.get("targetId")): text_of(row.get("label"))
        for row in rows
        if row.get("type") == "label" and text_of(row.get("targetId"))
    }


def _message(
    row: Row, record: int, results: dict[str, list[Part]], extra: dict[str, object]
) -> Message:
    said = message(row)
    parts: list[Part] = []
    for part in _parts(row, said):
        parts.append(part)
        if part.kind == "tool_call":
            parts += results.pop(part.call_id, [])
    kind = row.get("type")
    role = _ROLES.get(speaker(row), "system" if kind == "compaction" else "note")
    return Message(
        role=role,
        parts=tuple(parts),
        time=utc_time(row.get("timestamp")),
        model=text_of(said.get("model")),
        native_id=text_of(row.get("id")),
        record=record,
        usage=usage(row) if role == "assistant" else None,
        extra=extra,
    )


def _parts(row: Row, said: Row) -> list[Part]:
    kind, role = row.get("type"), speaker(row)
    if kind in ("compaction", "branch_summary"):
        keys = ("firstKeptEntryId", "firstKeptEntryIndex", "tokensBefore", "fromId")
        native = {key: row[key] for key in keys if key in row}
        name = "branch summary" if kind == "branch_summary" else ""
        return [Part("compaction", text_of(row.get("summary")), name=name, native=native)]
    if role in ("branchSummary", "compactionSummary"):
        return [Part("compaction", text_of(said.get("summary")))]
    if role == "bashExecution":
        command, output = text_of(said.get("command")), text_of(said.get("output"))
        return [Part("text", f"$ {command}\n{output}".rstrip(), native=said)]
    if role == "toolResult":
        return [_result(said)]
    parts = list(map(_part, blocks((said or row).get("content"))))
    if role == "system":
        sections = mapping_of(said.get("sections"))
        parts += [Part("text", text) for text in map(text_of, sections.values()) if text]
        parts = [part for part in parts if part.text or part.kind != "text"]
    if text_of(said.get("errorMessage")):
        parts.append(Part("retry", text_of(said["errorMessage"])))
    return parts


def _part(block: object) -> Part:
    told = mapping_of(block)
    kind = text_of(told.get("type"))
    if kind == "text" and isinstance(told.get("text"), str):
        return Part("text", told["text"])
    if kind == "thinking":
        return Part("reasoning", text_of(told.get("thinking")), native=block)
    if kind == "toolCall":
        name, call_id = text_of(told.get("name")), text_of(told.get("id"))
        return Part("tool_call", name=name, call_id=call_id, input=told.get("arguments"))
    if kind == "image":
        return Part("image", name=text_of(told.get("mimeType")), native=block)
    return Part("opaque", name=kind, native=block)


def _result(said: Row) -> Part:
    content = said.get("content")
    plain = all(mapping_of(block).get("type") == "text" for block in list_of(content))
    return Part(
        "tool_result",
        text_in(content),
        call_id=text_of(said.get("toolCallId")),
        error=said.get("isError") is True,
        native=None if plain else content,
    )
