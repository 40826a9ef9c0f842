"""What an agent tells a hook: which session, where its transcript is, in which folder, and why.

Agents spell the names in their own ways. Nothing of it is believed further than it is needed: ids
are short and plain, paths lead into the agent's own folder, the rest is not looked at.
"""

from __future__ import annotations

import json
import os

LARGEST = 16 << 20
"""Bytes of an agent's word that are read: it may hold a whole answer of the model."""

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
    """What came in is no call of a hook; the text says why and holds nothing of it."""


class HookCall:
    """One call. `path` and `cwd` are "" where the agent did not say or said nothing usable;
    `source` is why a session starts (startup, resume, clear, compact …)."""

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
        """Whether the turn goes on: a tool has just been used."""
        return self.event in _WITHIN

    @property
    def ends_turn(self) -> bool:
        """Whether the agent has given its answer: neither a tool nor a compaction is the matter."""
        return not self.within_turn and "compact" not in self.event.lower()

    @property
    def last(self) -> bool:
        """Whether the session is being closed, maybe without a word ever having been said."""
        return self.event in _LAST


def parse(agent: str, data: bytes) -> HookCall:
    """The call in the JSON that an agent gave; raises BrokenCall."""
    if len(data) > LARGEST:
        raise BrokenCall("the hook was told more than it reads")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise BrokenCall("what the hook was told is not JSON") from None
    if not isinstance(value, dict):
        raise BrokenCall("what the hook was told is not a JSON object")
    native_id = _first(value, "native_id") or _root_session(value)
    if not _is_id(native_id):
        raise BrokenCall("the hook was not told which session")
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
    """Copilot does not say which event it is; only a tool's has a tool in it."""
    return "postToolUse" if "toolName" in value else ""


def _root_session(value: dict[str, object]) -> str:
    """Cline says the session's id one level deeper."""
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
    """A word for the log. No event has a digit in its name, and nearly every token has."""
    plain = text.replace("_", "").replace(".", "").replace("-", "")
    return text if len(text) <= _LONGEST_WORD and plain.isascii() and plain.isalpha() else ""


def _path(text: str) -> str:
    good = len(text) <= _LONGEST_PATH and os.path.isabs(text) and "\0" not in text
    try:
        os.fsencode(text)
    except UnicodeError:
        return ""
    return text if good else ""
