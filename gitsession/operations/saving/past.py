"""Does a source still hold what was stored? Then continue, else say shrunk, stub, or changed.

In the usual case a hint (the state record) answers from 4 KiB of the source. Without a valid hint,
the stored records are compared with the source's one by one (`past_records`).
"""

from __future__ import annotations

from gitsession.agents.base import native_bytes, native_length, written_anew

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitsession.agents.base import Agent, Source
    from gitsession.model.session import Session
    from gitsession.operations.saving.line import Line
    from gitsession.operations.workspace import Workspace


TAIL = 4096
"""Bytes before the stored position that must be unchanged for the hint to hold."""


class Past:
    """`kind` is new, same, shrunk, stub, changed, or anew (written from the messages of its parent,
    see `anew`); `since` is where to continue reading if it is same; `compaction` means that the
    agent compacted a changed source."""

    __slots__ = ("compaction", "kind", "since")

    def __init__(self, kind: str, since: Session | None = None, compaction: bool = False) -> None:
        self.kind = kind
        self.since = since
        self.compaction = compaction


def compare_past(workspace: Workspace, agent: Agent, source: Source, line: Line) -> Past:
    """Return how the source relates to the newest finished version of its line."""
    if line.head is None:
        return Past("new")
    if is_anew(line):
        return Past("anew")
    stored = line.head.session
    if _hint_holds(workspace, agent, source, line.state):
        return Past("same", stored)
    from gitsession.operations.saving.past_records import compare

    return compare(workspace, agent, source, line)


def is_anew(line: Line) -> bool:
    """Whether a checkout wrote the session from messages (see `anew`) and no finished version holds
    it yet."""
    return bool(line.native.get("anew")) and line.base == line.native.get("base")


def _hint_holds(
    workspace: Workspace, agent: Agent, source: Source, state: Mapping[str, Any] | None
) -> bool:
    if not state or state.get("path") != source.file:
        return False
    tail = state.get("tail") or {}
    offset = tail.get("offset", -1)
    try:
        if not 0 <= offset <= native_length(agent, source):
            return False
    except OSError:
        return False
    return bool(tail.get("mac")) and tail["mac"] == tail_mac(workspace, agent, source, offset)


def tail_mac(workspace: Workspace, agent: Agent, source: Source, offset: int) -> str:
    """Return the keyed hash of the (at most) 4 KiB of the source right before `offset`; of
    everything before it if an edit may be anywhere. "" if that cannot be read."""
    try:
        length = offset if written_anew(agent, source) else min(TAIL, offset)
        return workspace.mac(native_bytes(agent, source, offset - length, length))
    except OSError:
        return ""
