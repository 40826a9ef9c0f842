"""The parts of an OpenCode session that no other agent can hold, by the names in `losses`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.opencode.form import document, undone_from

if TYPE_CHECKING:
    from gitsession.agents.opencode.form import Values
    from gitsession.model.session import Session


def count(session: Session) -> Counter[str]:
    """Count what is still part of the conversation; undone messages are one abandoned branch."""
    lost: Counter[str] = Counter()
    told = document(session)
    lost["permissions"] += bool(told.info.get("permission"))
    end = undone_from(told)
    lost["rewound"] += end < len(told.messages)
    for message in told.messages[:end]:
        lost["permissions"] += bool(message["info"].get("tools"))
        lost["system_prompts"] += bool(text_of(message["info"].get("system")))
        for part in map(mapping_of, list_of(message["parts"])):
            _count_part(part, lost)
    return lost


def _count_part(part: Values, lost: Counter[str]) -> None:
    if part.get("type") == "tool":
        metadata = mapping_of(mapping_of(part.get("state")).get("metadata"))
        lost["screen"] += bool(metadata)
        lost["subagents"] += bool(text_of(metadata.get("sessionId")))
    elif part.get("type") in ("reasoning", "text"):
        lost["signatures"] += bool(mapping_of(part.get("metadata")))
