"""Classifies the events of a Kimi Code session: prompt, message, answer step, compaction."""

from __future__ import annotations

from typing import Any

from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.agents.times import utc_time
from gitsession.model.usage import Usage

Row = dict[str, Any]

_BY_HAND = ("skill_activation", "plugin_command")


def is_header(row: Row) -> bool:
    """Whether this is the first event of a log, which no other agent writes."""
    return row.get("type") == "metadata" and isinstance(row.get("protocol_version"), str)


def time_of(row: Row) -> str:
    return utc_time(row.get("time")) or utc_time(row.get("created_at"))


def message(row: Row) -> Row:
    """Return a message that was added to the conversation as a whole; empty for other events."""
    return mapping_of(row.get("message")) if row.get("type") == "context.append_message" else {}


def event(row: Row) -> Row:
    """Return a piece of an answer, or the result of one of its calls; empty for other events."""
    return mapping_of(row.get("event")) if row.get("type") == "context.append_loop_event" else {}


def typed(told: Row) -> bool:
    """Whether the user said it (in a subagent's log: its starter), not the program."""
    origin = mapping_of(told.get("origin"))
    kind = origin.get("kind")
    if kind in _BY_HAND:
        return origin.get("trigger") == "user-slash"
    return kind in (None, "user") or (kind == "system_trigger" and origin.get("name") == "subagent")


def variant(told: Row) -> str:
    """Return which of its own texts the agent inserted, "" if it did not."""
    origin = mapping_of(told.get("origin"))
    return text_of(origin.get("variant")) if origin.get("kind") == "injection" else ""


def role(told: Row) -> str:
    """Return the role of a message that was added as a whole; "" for a tool's result."""
    name = text_of(told.get("role"))
    if name == "user":
        return "user" if typed(told) else "note"
    return "" if name == "tool" else name if name in ("assistant", "system") else "note"


def is_prompt(row: Row) -> bool:
    """Whether the event announces that the user asked; the message itself follows it."""
    return row.get("type") == "turn.prompt" and typed(row)


def is_asked(row: Row) -> bool:
    """Whether the event is a message that opens a turn; one typed during a turn joins it."""
    told = message(row)
    within = mapping_of(told.get("origin")).get("inTurn") is True
    return bool(told) and role(told) == "user" and not within


def text_in(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (text_of(mapping_of(part).get("text")) for part in list_of(content))
    return "\n".join(text for text in texts if text)


def prompt_text(content: object) -> str:
    return text_in(content).strip() or "(attachment)"


def call(told: Row) -> tuple[str, str, object]:
    """Return a call's id, its tool and its arguments."""
    return text_of(told.get("toolCallId")), text_of(told.get("name")), told.get("args")


def result(told: Row) -> tuple[str, str, bool]:
    """Return the id of the answered call, the output, and whether it failed."""
    given = mapping_of(told.get("result"))
    return text_of(told.get("toolCallId")), text_in(given.get("output")), bool(given.get("isError"))


def usage(value: object) -> Usage | None:
    told = mapping_of(value)
    if not told:
        return None
    return Usage(
        number_of(told.get("inputOther")),
        number_of(told.get("output")),
        number_of(told.get("inputCacheRead")),
        number_of(told.get("inputCacheCreation")),
    )


def summary(row: Row) -> str:
    """Return the text with which a compaction replaced the history; older logs hold a message."""
    told = row.get("summary")
    text = text_of(told) or text_in(mapping_of(told).get("content"))
    return text or text_of(row.get("contextSummary"))
