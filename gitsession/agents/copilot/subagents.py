"""Subagents of Copilot CLI: their events are mixed with the session's and carry their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gitsession.agents import entries
from gitsession.agents.copilot import Copilot, entry_of, subagent_of
from gitsession.agents.entries import Seen
from gitsession.agents.lenient import parse_line
from gitsession.model.message import Message
from gitsession.model.session import Session


def conversations(session: Session) -> Mapping[str, tuple[Message, ...]]:
    """Return each subagent's conversation by stream name; records are the main stream's."""
    found: dict[str, tuple[Message, ...]] = {}
    for record in session.stream().records:
        if b'"agentId"' not in record.data:
            continue
        for name in filter(None, map(subagent_of, parse_line(record.data).objects)):
            stream = f"subagents/{name}"
            if stream not in found:
                told = entries.messages(session, _Reader(name))
                found[stream] = tuple(replace(message, stream=stream) for message in told)
    return found


class _Reader(Copilot):
    """Reads one subagent's events as if there were no others."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._mark = name.encode("utf-8", "replace")

    def parse(self, data: bytes) -> Seen:
        if self._mark not in data:
            return Seen()
        parsed = parse_line(data)
        own = [event for event in parsed.objects if subagent_of(event) == self._name]
        events = ({**event, "agentId": ""} for event in own)
        return Seen(tuple(filter(None, map(entry_of, events))), parsed.damaged)
