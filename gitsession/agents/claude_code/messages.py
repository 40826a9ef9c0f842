"""The conversation of a Claude Code session as messages, along the active path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gitsession.agents.claude_code.records import (
    Row,
    blocks,
    calls,
    message_id,
    model,
    queued_prompt,
    role,
    usage,
)
from gitsession.agents.claude_code.state import block_text
from gitsession.agents.claude_code.tree import active_path
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.links import rows_of
from gitsession.agents.times import utc_time
from gitsession.model.message import Message, Part, Usage
from gitsession.model.session import Session


@dataclass(slots=True)
class _Draft:
    role: str
    row: Row
    record: int
    gap: bool
    parts: list[Part] = field(default_factory=list)
    model: str = ""
    usage: Usage | None = None


def messages(session: Session) -> tuple[Message, ...]:
    """Return one Message per API message, prompt, note, compaction; results follow their calls."""
    return messages_of(*rows_of(session.stream()))


def messages_of(rows: Sequence[Row], records: Sequence[int]) -> tuple[Message, ...]:
    """Return the same for some rows; `records` gives the record number of each row."""
    return tuple(_Gathering(rows, records).messages())


class _Gathering:
    def __init__(self, rows: Sequence[Row], records: Sequence[int]) -> None:
        self._rows, self._records = rows, records
        self._drafts: list[_Draft] = []
        self._spoken: dict[str, _Draft] = {}
        self._results: dict[str, list[Part]] = {}
        self._calls: set[str] = set()
        self._boundary: Row = {}

    def messages(self) -> list[Message]:
        path = active_path(self._rows)
        for position in path.positions:
            self._calls.update(call_id for call_id, _, _ in calls(self._rows[position]))
        for position in path.positions:
            self._see(position, gap=position in path.gaps)
        return [self._finish(draft) for draft in self._drafts]

    def _see(self, position: int, *, gap: bool) -> None:
        row = self._rows[position]
        kind = role(row)
        if kind == "assistant":
            draft = self._spoken.get(message_id(row)) or self._begin(kind, position, gap)
            self._spoken[message_id(row)] = draft
            draft.usage, draft.model = usage(row) or draft.usage, model(row) or draft.model
            self._add_blocks(draft, row)
        elif kind == "system":
            text = "\n".join(text_of(mapping_of(block).get("text")) for block in blocks(row))
            native = self._boundary.get("compactMetadata")
            self._begin(kind, position, gap).parts.append(Part("compaction", text, native=native))
        elif row.get("type") == "attachment" and kind:
            self._begin(kind, position, gap).parts.append(Part("text", queued_prompt(row)))
        elif row.get("type") == "user":
            draft = _Draft(kind or "note", row, self._records[position], gap)
            self._add_blocks(draft, row)
            if draft.parts:
                self._drafts.append(draft)
        elif row.get("subtype") == "compact_boundary":
            self._boundary = row

    def _begin(self, kind: str, position: int, gap: bool) -> _Draft:
        draft = _Draft(kind, self._rows[position], self._records[position], gap)
        self._drafts.append(draft)
        return draft

    def _add_blocks(self, draft: _Draft, row: Row) -> None:
        for block in blocks(row):
            part = part_of(block)
            if part.kind == "tool_result" and part.call_id in self._calls:
                self._results.setdefault(part.call_id, []).append(part)
            else:
                draft.parts.append(part)

    def _finish(self, draft: _Draft) -> Message:
        parts: list[Part] = []
        for part in draft.parts:
            parts.append(part)
            if part.kind == "tool_call":
                parts += self._results.pop(part.call_id, [])
        row = draft.row
        return Message(
            role=draft.role,
            parts=tuple(parts),
            time=utc_time(row.get("timestamp")),
            model=draft.model,
            native_id=text_of(row.get("uuid")),
            record=draft.record,
            usage=draft.usage,
            extra={"gap": True} if draft.gap else {},
        )


def part_of(block: object) -> Part:
    """Return one content block as a Part; an unknown one is kept whole as an opaque part."""
    if isinstance(block, str):
        return Part("text", block)
    told = mapping_of(block)
    kind = text_of(told.get("type"))
    if kind == "text" and isinstance(told.get("text"), str):
        return Part("text", told["text"])
    if kind in ("thinking", "redacted_thinking"):
        return Part("reasoning", text_of(told.get("thinking")), native=block)
    if kind.endswith("tool_use"):
        return Part(
            "tool_call",
            name=text_of(told.get("name")),
            call_id=text_of(told.get("id")),
            input=told.get("input"),
            native=None if kind == "tool_use" else block,
        )
    if kind.endswith("tool_result"):
        return _result(told)
    if kind == "image":
        return Part("image", name=_media(told), native=block)
    if kind == "document":
        return Part("file", name=text_of(told.get("title")) or _media(told), native=block)
    return Part("opaque", name=kind, native=block)


def _result(block: Row) -> Part:
    content = block.get("content")
    plain = isinstance(content, str) or all(
        mapping_of(part).get("type") == "text" for part in list_of(content)
    )
    return Part(
        "tool_result",
        block_text(block),
        call_id=text_of(block.get("tool_use_id")),
        error=block.get("is_error") is True,
        native=None if plain else content,
    )


def _media(block: Row) -> str:
    return text_of(mapping_of(block.get("source")).get("media_type"))
