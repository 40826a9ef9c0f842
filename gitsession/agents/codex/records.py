"""Parses one native line of a Codex rollout into rows of one shape, whichever release wrote it.

Three line formats exist: bare items (2025-08 and before), `{timestamp, type, payload}`, and the
same with `ordinal` and `metadata`. Bytes that are no record count as damage; records next to them
are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from gitsession.agents.lenient import parse_line
from gitsession.agents.lenient import text_of as string_of

_RECORD_START = b'{"timestamp":'
_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<skill>",
    "<skills_instructions>",
    "<subagent_notification>",
    "<model_switch>",
    "# AGENTS.md instructions",
)

OUTPUT_OF = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "tool_search_call": "tool_search_output",
}
OUTPUTS = frozenset(OUTPUT_OF.values())


class Row(NamedTuple):
    """`kind` is the envelope's type (`response_item` for a bare item, `session_meta` for a bare
    header, "" for anything else), `value` the whole native object, `payload` its inner part."""

    kind: str
    payload: dict[str, Any]
    time: str
    value: dict[str, Any]
    bare: bool = False

    @property
    def type(self) -> str:
        """The payload's own type, "" if it has none."""
        name = self.payload.get("type")
        return name if isinstance(name, str) else ""


def rows(line: bytes) -> tuple[list[Row], bool]:
    """Return the rows of one line (several if records are glued), and whether any of it is damaged.

    A blank line is not damage. Strings may contain lone surrogates; invalid UTF-8 becomes U+FFFD
    and counts as damage.
    """
    parsed = parse_line(line)
    if parsed.damaged and line.find(_RECORD_START, 1) > 0:
        # A torn record with a whole one glued to it: keep the whole one.
        head, *rest = line.split(_RECORD_START)
        pieces = [head, *(_RECORD_START + piece for piece in rest)]
        objects = [value for piece in pieces for value in parse_line(piece).objects]
        return [_row(value) for value in objects], True
    return [_row(value) for value in parsed.objects], parsed.damaged


def _row(value: dict[str, Any]) -> Row:
    kind = value.get("type")
    payload = value.get("payload")
    time = string_of(value.get("timestamp"))
    if isinstance(kind, str) and isinstance(payload, dict):
        return Row(kind, payload, time, value)
    if isinstance(kind, str):
        return Row("response_item", value, time, value, bare=True)
    if value.get("record_type") == "state":
        return Row("state", value, time, value, bare=True)
    if isinstance(value.get("id"), str) and time and ("instructions" in value or "git" in value):
        return Row("session_meta", value, time, value, bare=True)
    return Row("", value, time, value, bare=True)


def words(content: object) -> str:
    """Return the words of a content list (or string): text blocks joined by newlines."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    blocks = (block.get("text") for block in content if isinstance(block, dict))
    return "\n".join(block for block in blocks if isinstance(block, str))


def is_injected(payload: Mapping[str, Any]) -> bool:
    """Whether a message of role user was inserted by Codex, not typed by a person."""
    passthrough = payload.get("internal_chat_message_metadata_passthrough")
    kinds = passthrough.get("content_item_kinds") if isinstance(passthrough, dict) else None
    if isinstance(kinds, list) and kinds:
        return not any(str(kind).startswith("user.") for kind in kinds)
    return words(payload.get("content")).lstrip().startswith(_INJECTED)


def is_human(row: Row) -> bool:
    """Whether the row is a response item with text typed by a person."""
    return (
        row.kind == "response_item"
        and row.type == "message"
        and row.payload.get("role") == "user"
        and not is_injected(row.payload)
    )


def arguments(payload: Mapping[str, Any]) -> object:
    """Return a call's arguments, parsed if they are JSON in a string."""
    given = payload.get("arguments", payload.get("input", payload.get("action")))
    if isinstance(given, str) and given[:1] in "{[" and "arguments" in payload:
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def output_text(payload: Mapping[str, Any]) -> str:
    """Return a tool's output as text, without the envelope of the older releases."""
    output = payload.get("output", payload.get("tools"))
    if isinstance(output, dict):
        output = output.get("content", output.get("output", ""))
    if isinstance(output, list):
        return words(output)
    if not isinstance(output, str):
        return ""
    if output.startswith('{"output":'):
        try:
            inner = json.loads(output)
        except (ValueError, RecursionError):
            return output
        if isinstance(inner, dict) and isinstance(inner.get("output"), str):
            return str(inner["output"])
    return output


# The lines that Codex puts before a command's output; the command itself may be multi-line.
_COMMAND_HEAD = re.compile(
    r"\A(?:Command: [\s\S]*?\n(?=Chunk ID: |Wall time: ))?"
    r"(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines): [^\n]*\n"
    r"|Process [^\n]*\n)+Output:\n"
)
_EXIT = re.compile(r"\n?(?:Process exited with code|Exit code:) (-?\d+)\n")


def exit_code(payload: Mapping[str, Any]) -> int | None:
    """Return the exit code that a tool output states, None if it states none."""
    output = payload.get("output")
    if not isinstance(output, str):
        return None
    if output.startswith('{"output":'):
        try:
            code = json.loads(output)["metadata"]["exit_code"]
        except (ValueError, RecursionError, KeyError, TypeError):
            return None
        return code if isinstance(code, int) else None
    head = _COMMAND_HEAD.match(output)
    found = _EXIT.findall(head[0]) if head else ()
    return int(found[-1]) if found else None


def command_output(payload: Mapping[str, Any]) -> str:
    """Return what a command printed, without the lines that Codex puts before it."""
    return _COMMAND_HEAD.sub("", output_text(payload), count=1)


_REQUEST = "## My request for Codex:"


def request(text: str) -> str:
    """Return what the user asked, without what an editor put before it."""
    head, mark, rest = text.partition(_REQUEST)
    return rest.strip("\n") if mark and head.lstrip().startswith("# Context from my IDE") else text


class Grouping:
    """Decides which rows begin a message: one per user text, one per model answer with calls."""

    __slots__ = ("_answered", "_open")

    def __init__(self) -> None:
        self._open = self._answered = False

    @property
    def answering(self) -> bool:
        """Whether an answer is open and none of its calls has an output yet."""
        return self._open and not self._answered

    def begins(self, row: Row) -> bool:
        """Fold a row in; True if it is the first one of a message."""
        if row.kind == "compacted":
            self._open = False
            return True
        if row.kind == "event_msg" and row.type in (
            "task_started",
            "task_complete",
            "turn_aborted",
        ):
            self._open = False
        if row.kind != "response_item":
            return False
        if row.type == "message" and row.payload.get("role") != "assistant":
            self._open = False
            return True
        if row.type in OUTPUTS:
            self._answered = True
            return self._start()
        if self._open and not self._answered:
            return False
        self._open = False
        self._answered = False
        return self._start()

    def _start(self) -> bool:
        begins, self._open = not self._open, True
        return begins


def instructions(text: str) -> str:
    """Return the project's instructions (AGENTS.md) in a text that Codex inserted, else ""."""
    text = text.strip()
    if "<INSTRUCTIONS>" in text:
        text = text.partition("<INSTRUCTIONS>")[2].partition("</INSTRUCTIONS>")[0]
    elif text.startswith("<user_instructions>"):
        text = text.removeprefix("<user_instructions>").removesuffix("</user_instructions>")
    elif text.startswith("<"):
        return ""
    return text.strip() + "\n" if text.strip() else ""


def excerpt(text: str, limit: int) -> str:
    """Return the beginning of a text, cut only at a line or a blank.

    A scanner would not recognise half a secret.
    """
    if len(text) <= limit:
        return text
    head = text[:limit]
    return head[: max(head.rfind("\n"), head.rfind(" "), 0)] + "…"
