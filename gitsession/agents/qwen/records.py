"""Classifies Qwen Code records: Claude Code's envelope around parts of the Gemini API."""

from __future__ import annotations

from typing import Any

from gitsession.agents import parts
from gitsession.agents.lenient import mapping_of, number_of, text_of
from gitsession.model.usage import Usage

Row = dict[str, Any]

CONVERSATION = ("user", "assistant", "tool_result")
LINKS: tuple[str, ...] = ("parentUuid",)
_BESIDE = ("notification", "realtime_message", "cron")
"""Subtypes of user records that nobody typed."""
_HOOKED = "<qwen:user-prompt-submit-context>"


def is_qwen(row: Row) -> bool | None:
    """Return True or False if this record alone decides, None if it takes others to decide."""
    kind = row.get("type")
    named = isinstance(row.get("uuid"), str) and isinstance(row.get("sessionId"), str)
    if kind in CONVERSATION:
        return named and "parts" in mapping_of(row.get("message"))
    if kind == "system" and named and "systemPayload" in row:
        return True
    return None


def in_tree(row: Row) -> bool:
    return row.get("type") in (*CONVERSATION, "system") and isinstance(row.get("uuid"), str)


def content(row: Row) -> object:
    return mapping_of(row.get("message")).get("parts")


def payload(row: Row, subtype: str) -> Row:
    """Return the payload of a system record of that subtype; empty for any other record."""
    if row.get("type") != "system" or row.get("subtype") != subtype:
        return {}
    return mapping_of(row.get("systemPayload"))


def role(row: Row) -> str:
    """Return the role of the message that begins with this record; "" if none does."""
    kind = row.get("type")
    if kind == "assistant" and parts.native_parts(content(row)):
        return "assistant"
    if kind == "user" and not parts.is_only_responses(content(row)):
        beside = row.get("subtype") in _BESIDE or row.get("provenance") not in (None, "real_user")
        return "note" if beside else "user"
    return "system" if payload(row, "chat_compression") else ""


def is_prompt(row: Row) -> bool:
    """Whether this record opens a turn (a prompt typed while the agent works joins the turn)."""
    return role(row) == "user" and row.get("subtype") != "mid_turn_user_message"


def prompt_text(row: Row) -> str:
    """Return what was typed, without what hooks and files added to it."""
    shown = text_of(mapping_of(row.get("systemPayload")).get("displayText"))
    return (shown or parts.text_in(unhooked(content(row)))).strip() or "(attachment)"


def unhooked(given: object) -> list[parts.NativePart]:
    """Return the parts of a prompt without those that hooks added."""
    return [
        part
        for part in parts.native_parts(given)
        if not text_of(part.get("text")).startswith(_HOOKED)
    ]


def calls(row: Row) -> list[tuple[str, str, object]]:
    return list(parts.calls(content(row))) if row.get("type") == "assistant" else []


def results(row: Row) -> list[Row]:
    """Return the function responses in a record of results."""
    return list(parts.responses(content(row))) if row.get("type") in ("tool_result", "user") else []


def failed(row: Row) -> bool:
    return mapping_of(row.get("toolCallResult")).get("status") in ("error", "cancelled")


def usage(row: Row) -> Usage | None:
    """Return the tokens of an answer. Thinking tokens are included in the stated total only."""
    stated = row.get("usageMetadata")
    if row.get("type") != "assistant" or not isinstance(stated, dict):
        return None
    asked, total = number_of(stated.get("promptTokenCount")), stated.get("totalTokenCount")
    spoken = number_of(stated.get("candidatesTokenCount"))
    cached = number_of(stated.get("cachedContentTokenCount"))
    return Usage(max(asked - cached, 0), max(spoken, number_of(total) - asked), cached)


def summary_text(row: Row) -> str:
    """Return the text that replaced the history in a compression: its first message."""
    kept = payload(row, "chat_compression").get("compressedHistory")
    first = mapping_of(kept[0]) if isinstance(kept, list) and kept else {}
    return parts.text_in(first.get("parts"))


def title(row: Row) -> tuple[str, bool]:
    """Return a name given to the session, and whether the user gave it."""
    told = payload(row, "custom_title")
    return text_of(told.get("customTitle")), told.get("titleSource") != "auto"
