"""Reduces another user's Claude Code session to what may be written here: the conversation."""

from __future__ import annotations

import json

from gitsession.agents.claude_code.records import queued_prompt
from gitsession.agents.lenient import compact, mapping_of
from gitsession.agents.rows import OutRow, Repairs, without
from gitsession.model.record import Sidecar

_FIELDS = {
    "type", "uuid", "parentUuid", "logicalParentUuid", "isSidechain", "isMeta", "subtype",
    "isCompactSummary", "isVisibleInTranscriptOnly", "message", "timestamp", "sessionId", "cwd",
    "version", "userType", "entrypoint", "requestId", "isApiErrorMessage", "level", "content",
    "compactMetadata", "attachment", "agentId", "leafUuid", "lastPrompt", "toolUseID",
}  # fmt: skip
_META = ("agentType", "description", "toolUseId", "spawnDepth")


def strip(rows: list[OutRow], repairs: Repairs) -> list[OutRow]:
    """Remove system prompts, hooks, memory, plans, file history, titles, UI copies, sender's paths.

    What the conversation itself says stays as it is.
    """
    gone = [row for row in rows if not _is_conversation(row)]
    repairs.note("{} record{s} of another user's settings and prompts left out", len(gone))
    rows = without(rows, gone)
    for row in rows:
        for key in [key for key in row.row if key not in _FIELDS]:
            row.drop(key)
    return rows


def _is_conversation(row: OutRow) -> bool:
    kind = row.row.get("type")
    if kind == "system":
        return row.row.get("subtype") == "compact_boundary"
    if kind == "attachment":
        return bool(queued_prompt(row.row))
    return kind in ("user", "assistant", "last-prompt")


def shared_meta(sidecar: Sidecar) -> bytes:
    """Return a subagent's description without the sender's folders; other sidecars as they are."""
    if not sidecar.path.endswith(".meta.json"):
        return sidecar.data
    try:
        told = mapping_of(json.loads(sidecar.data))
    except (ValueError, RecursionError):
        told = {}
    return compact({key: told[key] for key in _META if key in told}).encode()
