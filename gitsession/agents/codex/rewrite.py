"""Changes to a line when a session moves to a new id, a new folder or another user."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gitsession.agents.base import Target
from gitsession.agents.codex.pairs import mended
from gitsession.agents.codex.records import is_injected
from gitsession.agents.lenient import compact, list_of
from gitsession.agents.permissions import FIELDS

_FORK = frozenset(
    (
        "agent_nickname",
        "agent_path",
        "agent_role",
        "forked_from_id",
        "forked_from_ordinal_exclusive",
        "history_base",
        "model_provider",
        "parent_thread_id",
    )
)
_INSTRUCTIONS = frozenset(
    (
        "base_instructions",
        "developer_instructions",
        "dynamic_tools",
        "instructions",
        "user_instructions",
    )
)
_OF_A_USER = frozenset(("account_scoped", "git"))
_FOREIGN_KINDS = frozenset(("world_state",))
_REWRITTEN = frozenset(("event_msg", "turn_context", "token_usage_record", "world_state"))


def new_header(
    old: dict[str, Any], native_id: str, target: Target, started: str, provider: str
) -> dict[str, Any]:
    """Return the payload of the new `session_meta`, for a user of that model provider."""
    left_out = FIELDS | _FORK | (_INSTRUCTIONS | _OF_A_USER if target.foreign else set())
    head = {name: value for name, value in old.items() if name not in left_out}
    if head.get("instructions") is None:
        head.pop("instructions", None)
    head.update(id=native_id, timestamp=started, cwd=target.cwd, source="cli")
    head["model_provider"] = provider
    if "session_id" in head or "history_mode" in head:
        head["session_id"] = native_id
    if "runtime_workspace_roots" in head:
        head["runtime_workspace_roots"] = [target.cwd]
    head.setdefault("originator", "gitsession")
    head.setdefault("cli_version", "0.0.0")
    return head


def title_event(title: str, time: str) -> dict[str, Any]:
    """Return an event that makes Codex list the session under this title.

    It lists a session by the first text marked as typed by a person. Only lists read the event; the
    model is sent the items alone.
    """
    words = " ".join(title.split())
    payload = {"type": "user_message", "message": words, "images": []}
    return {"timestamp": time, "type": "event_msg", "payload": payload}


class Rewriter:
    """Turns stored lines into lines to be written; counts in `repairs` what it leaves out."""

    def __init__(
        self, native_id: str, target: Target, old_ids: frozenset[str], repairs: Counter[str]
    ) -> None:
        self._native_id = native_id
        self._target = target
        self._old_ids = old_ids
        self._repairs = repairs

    def changed(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """Return the line to write: the very same object if unchanged, None to leave it out."""
        kind, payload = value["type"], value["payload"]
        if kind == "response_item":
            return value if self._kept(payload) else None
        if kind == "compacted":
            return self._compacted(value)
        if self._target.foreign and kind in _FOREIGN_KINDS:
            self._repairs["record with another user's surroundings left out"] += 1
            return None
        if kind not in _REWRITTEN:
            return value
        new = self._cleaned(payload)
        return value if new is payload else {**value, "payload": new}

    def _kept(self, payload: dict[str, Any]) -> bool:
        kind, role = payload.get("type"), payload.get("role")
        if kind in ("reasoning", "compaction"):
            return self._readable(payload)
        instructs = role in ("developer", "system") or (role == "user" and is_injected(payload))
        if self._target.foreign and kind == "message" and instructs:
            self._repairs["system, developer or instruction message left out"] += 1
            return False
        return True

    def _readable(self, payload: dict[str, Any]) -> bool:
        """Whether sealed reasoning is still usable: only complete, and only for its own account."""
        sealed = payload.get("encrypted_content")
        whole = isinstance(sealed, str) and sealed and "REDACTED" not in sealed
        whole = whole and "__REDACTED_" not in compact(
            [payload.get("summary"), payload.get("content")]
        )
        if whole and not self._target.foreign:
            return True
        self._repairs["reasoning that the provider could not open left out"] += 1
        return False

    def _compacted(self, value: dict[str, Any]) -> dict[str, Any]:
        payload = value["payload"]
        history = list_of(payload.get("replacement_history"))
        kept = [item for item in history if not isinstance(item, dict) or self._kept(item)]
        kept = mended(kept)
        if len(kept) == len(history):
            return value
        return {**value, "payload": {**payload, "replacement_history": kept}}

    def _cleaned(self, payload: dict[str, Any]) -> dict[str, Any]:
        new: dict[str, Any] = {}
        for name, value in payload.items():
            if name in FIELDS or (self._target.foreign and name in _INSTRUCTIONS):
                continue
            new[name] = self._value(name, value)
        same = len(new) == len(payload) and all(new[name] is payload[name] for name in new)
        return payload if same else new

    def _value(self, name: str, value: Any) -> Any:
        if name in ("thread_id", "session_id") and value in self._old_ids:
            return self._native_id
        if name == "cwd" and isinstance(value, str) and not value.startswith("file:"):
            return self._target.cwd if value != self._target.cwd else value
        if name == "runtime_workspace_roots":
            return [self._target.cwd]
        if name in ("thread_settings", "settings", "state", "environments"):
            return self._cleaned(value) if isinstance(value, dict) else value
        if isinstance(value, dict) and "cwd" in value:  # an environment, by its own name
            return self._cleaned(value)
        return value
