"""The shape of a session without any of its text.

Everything said, named, called and answered is replaced; kinds, ids, times and numbers stay. Use it
to show a fault, or how a session is built.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from gitsession.agents.lenient import parse_line
from gitsession.agents.opencode_family import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsession.model.session import Session

_KINDS = frozenset(
    (
        "type", "subtype", "role", "kind", "status", "finish", "reason", "action", "permission",
        "mime", "mimeType", "media_type", "mediaType", "variant", "providerID", "modelID",
        "provider", "model", "version", "stop_reason", "stopReason", "phase",
    )
)  # fmt: skip
"""Members whose short plain values come from a program's own vocabulary."""
_KIND = re.compile(r"[a-zA-Z][a-zA-Z0-9._/+-]{0,47}|\d[\w.+-]{0,30}")
_AGENTS = (
    "build", "plan", "general", "explore", "compaction", "title", "summary", "code", "ask", "debug",
    "orchestrator",
)  # fmt: skip
_ID = re.compile(
    r"(ses|msg|prt|toolu|call|chatcmpl|req|agent)_[0-9A-Za-z]{8,64}"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{64}"
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(Z|[+-]\d\d:\d\d)")
_ERROR = re.compile(r"[A-Z][A-Za-z]{2,40}Error")
_NAME = re.compile(r"[A-Za-z$][A-Za-z0-9_]{0,40}")
_FREE = ("input", "args", "arguments", "metadata", "env", "toolUseResult", "details")
"""Members below which names belong to a tool or a user."""


class Sanitizer:
    """Replaces texts by marks; equal texts get equal marks, so that repetition remains visible."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def value(self, value: Any, name: str = "", *, free: bool = False) -> Any:
        """Return any JSON value without its texts; `free` if member names are not the program's."""
        if isinstance(value, str):
            return self._text(value, name, free=free)
        if isinstance(value, list):
            return [self.value(item, name, free=free) for item in value]
        if isinstance(value, dict):
            free = free or name in _FREE
            return {self._key(key, free=free): self.value(item, key, free=free)
                    for key, item in value.items()}  # fmt: skip
        return value

    def _key(self, key: str, *, free: bool) -> str:
        return self._mark("name", key) if free or not _NAME.fullmatch(key) else key

    def _text(self, text: str, name: str, *, free: bool) -> str:
        known = name in ("agent", "mode") and text in _AGENTS
        known = known or (name in _KINDS and bool(_KIND.fullmatch(text)))
        known = known or (name == "name" and bool(_ERROR.fullmatch(text)))
        known = known or (name == "projectID" and text == "global")
        if not text or (not free and (known or _ID.fullmatch(text))) or _TIME.fullmatch(text):
            return text
        if name in ("agent", "mode"):
            return _AGENTS[0]
        return self._mark(name if _NAME.fullmatch(name) and not free else "text", text)

    def _mark(self, kind: str, text: str) -> str:
        number = self._numbers.setdefault(text, len(self._numbers) + 1)
        return f"[redacted:{kind}:{number}]"


def dump(session: Session) -> bytes:
    """Return a session in its agent's own form without its texts; damaged records are left out."""
    sanitizer = Sanitizer()
    if session.info.agent in NAMES:
        from gitsession.agents.opencode.form import document

        told = document(session)
        value = {"info": told.info, "messages": told.messages}
        return json.dumps(sanitizer.value(value), indent=2).encode() + b"\n"
    return b"".join(json.dumps(row).encode() + b"\n" for row in _rows(session, sanitizer))


def _rows(session: Session, sanitizer: Sanitizer) -> Iterator[Any]:
    for record in session.stream().records:
        for row in parse_line(record.data).objects:
            yield sanitizer.value(row)
