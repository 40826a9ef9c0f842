"""Subagents of Claude Code up to 2.0, whose records are mixed with those of the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gitsession.agents.claude_code.messages import messages_of
from gitsession.agents.claude_code.records import Row, is_side
from gitsession.agents.claude_code.tree import is_subagents
from gitsession.agents.lenient import parse_line, text_of
from gitsession.model.message import Message
from gitsession.model.session import Info, Session

_NAME = 8
_FIRST_APART = 2, 1
"""The first version that gives each subagent a file of its own."""


def mixes(info: Info) -> bool:
    """Whether a session of that version may mix in subagents' records."""
    numbers = info.agent_version.split(".")[:2]
    if len(numbers) < 2 or not all(number.isdecimal() for number in numbers):
        return True
    return (int(numbers[0]), int(numbers[1])) < _FIRST_APART


def within(session: Session) -> Mapping[str, tuple[Message, ...]]:
    """See `base.within`. Each subagent is named by the first digits of its first record's id."""
    rows: dict[str, list[Row]] = {}
    records: dict[str, list[int]] = {}
    roots: dict[str, str] = {}
    told: list[Row] = []
    for index, record in enumerate(session.stream().records, session.stream().first):
        if told and b'"isSidechain"' not in record.data:
            continue
        for row in parse_line(record.data).objects:
            told = told or [row][: "message" in row]
            name = text_of(row.get("uuid"))
            if not is_side(row) or not name:
                continue
            root = roots.setdefault(name, roots.get(text_of(row.get("parentUuid")), name))
            rows.setdefault(root, []).append(row)
            records.setdefault(root, []).append(index)
    if is_subagents(told):
        return {}
    return {stream: _conversation(stream, rows[root], records[root])
            for root in rows for stream in [f"subagents/{root[:_NAME]}"]}  # fmt: skip


def _conversation(stream: str, rows: list[Row], records: list[int]) -> tuple[Message, ...]:
    return tuple(replace(message, stream=stream) for message in messages_of(rows, records))
