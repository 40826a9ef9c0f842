"""Classifies the entries of a pi session: prompt, answer, result, compaction, or another kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.model.usage import Usage

Row = dict[str, Any]

LINKS: tuple[str, ...] = ("parentId", "targetId", "firstKeptEntryId", "fromId")
"""Members of an entry that name another entry, the one for the parent first."""


def is_header(row: Row) -> bool:
    return row.get("type") == "session" and isinstance(row.get("id"), str) and "timestamp" in row


def is_entry(row: Row) -> bool:
    """Whether the row is a record of the tree: everything but the header."""
    return isinstance(row.get("type"), str) and row["type"] != "session"


def message(row: Row) -> Row:
    return mapping_of(row.get("message")) if row.get("type") == "message" else {}


def speaker(row: Row) -> str:
    """Return the native role of a message entry, "" for other entries."""
    return text_of(message(row).get("role"))


def blocks(content: object) -> list[Any]:
    """Return content blocks; a string counts as one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)


def text_in(content: object) -> str:
    texts = (text_of(mapping_of(block).get("text")) for block in blocks(content))
    return "\n".join(text for text in texts if text)


def calls(row: Row) -> Iterator[tuple[str, str, Row]]:
    """Yield the tool calls of an assistant message: id, tool name, arguments."""
    if speaker(row) == "assistant":
        for block in map(mapping_of, list_of(message(row).get("content"))):
            if block.get("type") == "toolCall":
                arguments = mapping_of(block.get("arguments"))
                yield text_of(block.get("id")), text_of(block.get("name")), arguments


def answered_call(row: Row) -> str:
    """Return the id of the call whose result this entry is, "" if it is no result."""
    return text_of(message(row).get("toolCallId")) if speaker(row) == "toolResult" else ""


def is_prompt(row: Row) -> bool:
    return speaker(row) == "user"


def prompt_text(row: Row) -> str:
    text = text_in(message(row).get("content")).strip()
    return text or "(image)"


def counts_as_message(row: Row) -> bool:
    """Whether a message begins with this entry (tool results belong to their call's message)."""
    kind = row.get("type")
    if kind == "message":
        return speaker(row) not in ("toolResult", "")
    return kind in ("compaction", "branch_summary", "custom_message")


def usage(row: Row) -> Usage | None:
    """Return the tokens that the entry states: for an answer, a summary or a side operation."""
    stated = message(row).get("usage") if row.get("type") == "message" else row.get("usage")
    if not isinstance(stated, dict):
        return None
    return Usage(
        number_of(stated.get("input")),
        number_of(stated.get("output")),
        number_of(stated.get("cacheRead")),
        number_of(stated.get("cacheWrite")),
    )
