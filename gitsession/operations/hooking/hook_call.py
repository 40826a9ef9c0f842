"""What an agent tells a hook: which session, where its transcript is, in which folder, and why.

Each agent has its own names for the fields. Nothing is trusted further than needed: ids are short
and plain, paths must lead into the agent's own folder, and the rest is ignored.
"""

from __future__ import annotations

import json
import os

LARGEST = 16 << 20
"""The limit for a call's input, in bytes: it may hold a whole answer of the model."""

_LONGEST_ID, _LONGEST_PATH, _LONGEST_WORD = 200, 4096, 32

_NAMES = {
    "event": ("hook_event_name", "hookEventName", "hookName", "type"),
    "native_id": ("session_id", "sessionId", "thread-id", "thread_id"),
    "path": ("transcript_path", "transcriptPath"),
    "cwd": ("cwd",),
    "source": ("source",),
}

_WITHIN = frozenset(
    ("PostToolUse", "AfterTool", "postToolUse", "tool_result", "tool.execute.after", "tool_call")
)
_LAST = frozenset(("SessionEnd", "sessionEnd", "session_shutdown"))


class BrokenCall(ValueError):
    """The input is not a hook call; the text says why and contains nothing of the input."""


class HookCall:
    """One call. `path` and `cwd` are "" if the agent gave none or nothing usable; `source` is why a
    session starts (startup, resume, clear, compact …)."""

    __slots__ = ("agent", "cwd", "event", "native_id", "path", "source")

    def __init__(
        self, agent: str, native_id: str, event: str = "", path: str = "", cwd: str = "",
        source: str = "",
    ) -> None:  # fmt: skip
        self.agent = agent
        self.native_id = native_id
        self.event = event
        self.path = path
        self.cwd = cwd
        self.source = source

    @property
    def within_turn(self) -> bool:
        """Whether the turn is still running: a tool has just been used."""
        return self.event in _WITHIN

    @property
    def ends_turn(self) -> bool:
        """Whether the agent has given its answer: the call concerns no tool and no compaction."""
        return not self.within_turn and "compact" not in self.event.lower()

    @property
    def last(self) -> bool:
        """Whether the session is being closed, maybe without any message ever."""
        return self.event in _LAST


def parse(agent: str, data: bytes) -> HookCall:
    """Return the call in the JSON that an agent gave; raises BrokenCall."""
    if len(data) > LARGEST:
        raise BrokenCall("the input of the hook is too long")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise BrokenCall("the input of the hook is not JSON") from None
    if not isinstance(value, dict):
        raise BrokenCall("what the hook was told is not a JSON object")
    native_id = _first(value, "native_id") or _root_session(value)
    if not _is_id(native_id):
        raise BrokenCall("the input of the hook names no session")
    return HookCall(
        agent,
        native_id,
        _word(_first(value, "event")) or _unsaid(value),
        _path(_first(value, "path")),
        _path(_first(value, "cwd") or _workspace(value)),
        _word(_first(value, "source")),
    )


def _first(value: dict[str, object], field: str) -> str:
    for name in _NAMES[field]:
        found = value.get(name)
        if isinstance(found, str) and found:
            return found
    return ""


def _unsaid(value: dict[str, object]) -> str:
    """Return the event of a Copilot call, which does not state it: only a tool's names a tool."""
    return "postToolUse" if "toolName" in value else ""


def _root_session(value: dict[str, object]) -> str:
    """Return the session's id from a Cline call, which has it one level deeper."""
    context = value.get("sessionContext")
    found = context.get("rootSessionId") if isinstance(context, dict) else ""
    return found if isinstance(found, str) else ""


def _workspace(value: dict[str, object]) -> str:
    roots = value.get("workspaceRoots")
    found = roots[0] if isinstance(roots, list) and roots else ""
    return found if isinstance(found, str) else ""


def _is_id(text: str) -> bool:
    plain = text.replace("-", "").replace("_", "").replace(".", "")
    return len(text) <= _LONGEST_ID and plain.isascii() and plain.isalnum() and text[0] != "."


def _word(text: str) -> str:
    """Return the text if it is a word fit for the log, else "". No event has a digit in its name,
    and nearly every token has one."""
    plain = text.replace("_", "").replace(".", "").replace("-", "")
    return text if len(text) <= _LONGEST_WORD and plain.isascii() and plain.isalpha() else ""


def _path(text: str) -> str:
    good = len(text) <= _LONGEST_PATH and os.path.isabs(text) and "\0" not in text
    try:
        os.fsencode(text)
    except UnicodeError:
        return ""
    return text if good else ""
