"""Common to the requests of all providers: rows with two roles, and names and ids that all
accept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gitsession.context.entry import Context
from gitsession.context.readable import media_text, media_type
from gitsession.model.message import Message, Part
from gitsession.model.session import State

Json = dict[str, Any]

MAX_TOKENS = 8_192
_BEGINNING = "[the conversation begins before this point]"
_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Asking:
    """What a request needs besides the context. `tools` are names only: their schemas are not
    stored. `output` is the most tokens that the answer may have."""

    model: str
    session_id: str = ""
    tools: tuple[str, ...] = ()
    output: int = MAX_TOKENS


@dataclass(frozen=True, slots=True)
class Row:
    """One message on the wire: tool calls are in rows of the assistant, results in rows of the
    user."""

    role: str
    parts: tuple[Part, ...]


def state_text(state: State) -> str:
    """Return the working state as lines for the system prompt, "" if there is none."""
    lines = []
    if state.active_file:
        at = f", line {state.active_line}" if state.active_line is not None else ""
        lines.append(f"Active file: {state.active_file}{at}")
    if state.last_command:
        code = f" (exit code {state.exit_code})" if state.exit_code is not None else ""
        lines.append(f"Last command: {state.last_command[:500]}{code}")
    lines += [f"Todo ({todo.status}): {todo.text}" for todo in state.todos]
    lines += [f"Memory: {line}" for line in state.memory]
    return "\n".join(["Working state of the session:", *lines]) if lines else ""


def system_text(context: Context) -> str:
    """Return the system prompt, followed by a leading system message of the session."""
    said = [context.system] if context.system else []
    if context.messages and _is_system(context.messages[0]):
        said.append(context.messages[0].text)
    return clean("\n\n".join(said))


def _is_system(message: Message) -> bool:
    return message.role == "system" and not _is_summary(message)


def _is_summary(message: Message) -> bool:
    compacted = any(part.kind == "compaction" for part in message.parts)
    return compacted or message.extra.get("made") == "summary"


def rows_of(context: Context) -> list[Row]:
    """Return the chain as rows of two alternating roles: calls, then their results, then the rest.

    A summary is in the user's role and comes first. A chain that begins with an answer gets a line
    before it.
    """
    messages = context.messages
    if messages and _is_system(messages[0]):
        messages = messages[1:]
    rows: list[Row] = []
    for message in messages:
        for row in _of_message(message):
            if rows and rows[-1].role == row.role:
                rows[-1] = Row(row.role, _joined(rows[-1].parts, row.parts))
            else:
                rows.append(row)
    if rows and rows[0].role == "assistant":
        rows.insert(0, Row("user", (Part("text", _BEGINNING, synthetic=True),)))
    return rows


def _joined(first: tuple[Part, ...], second: tuple[Part, ...]) -> tuple[Part, ...]:
    """Join the parts of two rows; results go before the user's words, because providers want them
    right after the calls."""
    parts = (*first, *second)
    results = tuple(part for part in parts if part.kind == "tool_result")
    return (*results, *(part for part in parts if part.kind != "tool_result"))


def _of_message(message: Message) -> Iterator[Row]:
    role = "assistant" if message.role == "assistant" else "user"
    parts: list[Part] = []
    results: list[Part] = []
    for part in message.parts:
        if part.kind == "tool_result":
            results.append(part)
            continue
        if results and part.kind != "tool_call":
            yield from _pair_of_rows(role, parts, results)
            parts, results = [], []
        parts.append(part)
    yield from _pair_of_rows(role, parts, results)


def _pair_of_rows(role: str, parts: list[Part], results: list[Part]) -> Iterator[Row]:
    shown = tuple(part for part in parts if part.kind != "text" or part.text.strip())
    if any(part.kind == "tool_call" for part in shown):
        role = "assistant"
    if role == "assistant":
        shown = tuple(map(media_text, shown))
    if shown:
        yield Row(role, shown)
    if results:
        yield Row("user", tuple(results))


def clean(text: str) -> str:
    """Replace half surrogates, which no provider's JSON reader accepts."""
    return _HALVES.sub("�", text)


def tool_names(context: Context, asking: Asking) -> list[str]:
    """Return the tools on offer and those used in the chain, without repetition."""
    used = [p.name for m in context.messages for p in m.parts if p.kind == "tool_call"]
    return list(dict.fromkeys(wire_name(name) for name in (*asking.tools, *used) if name))


def wire_name(name: str) -> str:
    return _NAME.sub("_", name)[:64] or "tool"


def wire_id(call_id: str) -> str:
    """Return the id if every provider accepts it, else one made from its hash."""
    if _ID.fullmatch(call_id):
        return call_id
    digest = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"call_{digest[:24]}"


def arguments(part: Part) -> Json:
    """Return the arguments as an object; a bare text or list is wrapped in one."""
    value = _cleaned(part.input)
    if isinstance(value, dict):
        return value
    return {} if value is None else {"input": value}


def _cleaned(value: object, depth: int = 0) -> object:
    if isinstance(value, str):
        return clean(value)
    if depth > 100:
        return None
    if isinstance(value, dict):
        return {clean(str(name)): _cleaned(item, depth + 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, depth + 1) for item in value]
    return value


def media_data(part: Part) -> tuple[str, str] | None:
    """Return media type and base64 data of an image or document, None if only its name is known."""
    native = part.native if isinstance(part.native, dict) else {}
    source = native.get("source")
    if not isinstance(source, dict) or source.get("type") != "base64":
        return None
    data = source.get("data")
    return (media_type(part), data) if isinstance(data, str) and data else None
