"""What one message of a Gemini CLI session is: prompt, answer, result, what the program put in."""

from __future__ import annotations

import re
from typing import Any

from gitsession.agents import parts
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.model.usage import Usage

Row = dict[str, Any]

NOTES = ("info", "error", "warning")
LEAD = "Prompt: "
"""What is written before a prompt that the agent would otherwise forget; never a part of it."""
_CONTEXT = "<session_context>"
_FORGOTTEN = ("/", "?", "<hook_context>")
"""What a prompt may begin with that the agent does not send again once it has resumed: it takes the
message for a command, or for what a hook said, although both stand before or in what was asked."""
_HOOK = re.compile(r"<hook_context>.*?</hook_context>\s*", re.DOTALL)
_SNAPSHOT = "<state_snapshot>"
_FOLDERS = re.compile(r"Workspace Directories:\*\*\n\s*- (/[^\n]+)")


def text_in(message: Row) -> str:
    return parts.text_in(message.get("content"))


def role(message: Row) -> str:
    """The role of a message; "" for one of nothing but tool results (they belong to the calls)."""
    kind = message.get("type")
    if kind == "gemini":
        return "assistant"
    if kind in NOTES:
        return "note"
    if kind != "user" or parts.is_only_responses(message.get("content")):
        return ""
    if is_snapshot(message):
        return "system"
    text = without_hooks(text_in(message)).strip()
    has_data = any("text" not in part for part in parts.native_parts(message.get("content")))
    beside = text.startswith(_CONTEXT) or not (text or has_data)
    return "note" if beside else "user"


def without_hooks(text: str) -> str:
    """A text without what hooks put in; the agent lets no `<` stand in theirs."""
    return _HOOK.sub("", text) if "<hook_context>" in text else text


def is_forgotten(message: Row) -> bool:
    """Whether it is a prompt that the agent leaves out when it resumes."""
    return role(message) == "user" and text_in(message).lstrip().startswith(_FORGOTTEN)


def remembered(content: object) -> list[parts.NativePart]:
    """The content of a prompt so that the agent sends it again."""
    given = parts.native_parts(content)
    forgotten = parts.text_in(content).lstrip().startswith(_FORGOTTEN)
    return [{"text": LEAD}, *given] if forgotten else given


def is_snapshot(message: Row) -> bool:
    """Whether a compression put it in the place of the history."""
    return message.get("type") == "user" and text_in(message).lstrip().startswith(_SNAPSHOT)


def is_context(message: Row) -> bool:
    """Whether it is what the program says at the start, or nothing but what a hook said."""
    text = text_in(message).lstrip()
    return text.startswith((_CONTEXT, "<hook_context>")) and role(message) == "note"


def workspace(message: Row) -> str:
    """The project folder that the program told the model, "" in any other message."""
    found = _FOLDERS.search(text_in(message)) if is_context(message) else None
    return found[1] if found else ""


def prompt_text(message: Row) -> str:
    """What was typed, without the files and the words of hooks that were put beside it."""
    typed = parts.text_in(message.get("displayContent")) or text_in(message)
    return without_hooks(typed).strip() or "(attachment)"


def calls(message: Row) -> list[tuple[str, str, object]]:
    """Tool calls of an answer: those in its content and those recorded beside, each once."""
    if message.get("type") != "gemini":
        return []
    found = {call[0]: call for call in parts.calls(message.get("content"))}
    for call in tool_calls(message):
        name, call_id = text_of(call.get("name")), text_of(call.get("id"))
        found.setdefault(call_id, (call_id, name, call.get("args")))
    return list(found.values())


def tool_calls(message: Row) -> list[Row]:
    return [call for call in list_of(message.get("toolCalls")) if isinstance(call, dict)]


def own_responses(call: Row) -> list[Row]:
    """The function responses that a recorded tool call holds, those of its own id."""
    given = call.get("result")
    if isinstance(given, str):
        return [{"id": call.get("id"), "name": call.get("name"), "response": {"output": given}}]
    found = list(parts.responses(given))
    return [one for one in found if one.get("id") == call.get("id")] or found[:1]


def is_answer(message: Row) -> bool:
    """Words without a call: what ends a turn, unless calls are added to it later."""
    return message.get("type") == "gemini" and not calls(message) and bool(text_in(message).strip())


def usage(message: Row) -> Usage | None:
    stated = mapping_of(message.get("tokens"))
    if message.get("type") != "gemini" or not stated:
        return None
    asked, cached = number_of(stated.get("input")), number_of(stated.get("cached"))
    spoken = number_of(stated.get("output")) + number_of(stated.get("thoughts"))
    return Usage(max(asked - cached, 0), spoken, cached)
