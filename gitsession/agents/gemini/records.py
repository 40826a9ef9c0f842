"""Classifies the messages of a Gemini CLI session: prompt, answer, result, program's text."""

from __future__ import annotations

import re
from typing import Any

from gitsession.agents import parts
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.model.usage import Usage

Row = dict[str, Any]

NOTES = ("info", "error", "warning")
LEAD = "Prompt: "
"""Written before a prompt that the agent would otherwise forget; never part of the prompt."""
_CONTEXT = "<session_context>"
_FORGOTTEN = ("/", "?", "<hook_context>")
"""Beginnings of prompts that the agent does not send again after a resume: it takes the message for
a command, or for a hook's text, although that only precedes or is part of the prompt."""
_HOOK = re.compile(r"<hook_context>.*?</hook_context>\s*", re.DOTALL)
_SNAPSHOT = "<state_snapshot>"
_FOLDERS = re.compile(r"Workspace Directories:\*\*\n\s*- (/[^\n]+)")


def text_in(message: Row) -> str:
    return parts.text_in(message.get("content"))


def role(message: Row) -> str:
    """Return the role of a message; "" if it has only tool results, which belong to the calls."""
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
    """Return a text without what hooks inserted; the agent allows no `<` in their text."""
    return _HOOK.sub("", text) if "<hook_context>" in text else text


def is_forgotten(message: Row) -> bool:
    """Whether the message is a prompt that the agent leaves out when it resumes."""
    return role(message) == "user" and text_in(message).lstrip().startswith(_FORGOTTEN)


def remembered(content: object) -> list[parts.NativePart]:
    """Return the content of a prompt in a form that the agent sends again."""
    given = parts.native_parts(content)
    forgotten = parts.text_in(content).lstrip().startswith(_FORGOTTEN)
    return [{"text": LEAD}, *given] if forgotten else given


def is_snapshot(message: Row) -> bool:
    """Whether a compression replaced the history with this message."""
    return message.get("type") == "user" and text_in(message).lstrip().startswith(_SNAPSHOT)


def is_context(message: Row) -> bool:
    """Whether the message is the program's introduction at the start, or only a hook's text."""
    text = text_in(message).lstrip()
    return text.startswith((_CONTEXT, "<hook_context>")) and role(message) == "note"


def workspace(message: Row) -> str:
    """Return the project folder that the program stated to the model, "" for any other message."""
    found = _FOLDERS.search(text_in(message)) if is_context(message) else None
    return found[1] if found else ""


def prompt_text(message: Row) -> str:
    """Return what was typed, without the files and hook texts added to it."""
    typed = parts.text_in(message.get("displayContent")) or text_in(message)
    return without_hooks(typed).strip() or "(attachment)"


def calls(message: Row) -> list[tuple[str, str, object]]:
    """Return an answer's tool calls: those in its content and those recorded apart, each once."""
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
    """Return the function responses in a recorded tool call: those with its own id."""
    given = call.get("result")
    if isinstance(given, str):
        return [{"id": call.get("id"), "name": call.get("name"), "response": {"output": given}}]
    found = list(parts.responses(given))
    return [one for one in found if one.get("id") == call.get("id")] or found[:1]


def is_answer(message: Row) -> bool:
    """Whether the message is text without a call: it ends a turn unless calls are added later."""
    return message.get("type") == "gemini" and not calls(message) and bool(text_in(message).strip())


def usage(message: Row) -> Usage | None:
    stated = mapping_of(message.get("tokens"))
    if message.get("type") != "gemini" or not stated:
        return None
    asked, cached = number_of(stated.get("input")), number_of(stated.get("cached"))
    spoken = number_of(stated.get("output")) + number_of(stated.get("thoughts"))
    return Usage(max(asked - cached, 0), spoken, cached)
