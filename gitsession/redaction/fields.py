"""Which JSON members must stay byte-exact: signatures, encrypted reasoning, image data, native ids.

If one were edited, a provider would refuse the session. They are still scanned by the anchored
rules.
"""

from __future__ import annotations

from collections.abc import Sequence

Pairs = Sequence[tuple[str, object]]
"""An object as its members in source order (names may repeat)."""

_SEALED = frozenset(
    ("thinkingSignature", "thoughtSignature", "thought_signature", "encrypted_content",
     "encryptedContent", "reasoningOpaque", "reasoning_opaque", "textSignature")
)  # fmt: skip
_IDS = frozenset(
    ("uuid", "parentUuid", "logicalParentUuid", "leafUuid", "sessionId", "session_id", "id",
     "parentId", "tool_use_id", "toolUseID", "parentToolUseID", "sourceToolAssistantUUID",
     "requestId", "messageId", "message_id", "call_id", "callId", "turn_id", "agentId", "promptId",
     "timestamp", "version", "model", "type", "role", "snapshotId", "responseId", "interactionId",
     "commit_hash")
)  # fmt: skip
FREE = frozenset(("input", "arguments", "args", "toolUseResult", "output", "result", "env",
                   "action", "parameters", "details", "data"))  # fmt: skip
"""Below such a member is whatever tools and users wrote: an `id` there may be anything."""
_MEDIA_NAMES = ("media_type", "mediaType", "mimeType", "mime_type")
_BINARY_NAMES = frozenset(("data", "image_url", "url", "base64", "bytes"))
_VALUE_NAMES = frozenset(("value", "val", "Value"))
SPECIAL = _SEALED | _IDS | _BINARY_NAMES | _VALUE_NAMES | {"signature", "encrypted"}
"""Members for which `is_exact` or `judged_as` may decide differently."""
_BINARY_TYPES = frozenset(("base64", "image", "redacted_thinking", "input_image", "document"))


def is_exact(name: str, value: str, siblings: Pairs, free: bool) -> bool:
    """Whether the string `value` of the member `name` must stay as it is."""
    if name in _SEALED:
        return True
    if name == "signature":
        return not free or _has_type(siblings, ("thinking", "redacted_thinking"))
    if name == "encrypted":
        return _has_type(siblings, ("think",))
    if name in _BINARY_NAMES:
        return _is_binary(name, value, siblings)
    return not free and name in _IDS


def _is_binary(name: str, value: str, siblings: Pairs) -> bool:
    if value.startswith("data:"):
        return ";base64," in value[:80]
    if name in ("image_url", "url"):
        return False
    typed = _has_type(siblings, _BINARY_TYPES)
    return typed or any(member in _MEDIA_NAMES for member, _ in siblings)


def _has_type(siblings: Pairs, types: Sequence[str] | frozenset[str]) -> bool:
    return any(
        name == "type" and isinstance(value, str) and value in types for name, value in siblings
    )


def judged_as(name: str, siblings: Pairs) -> str:
    """The name to judge a value by, as in `{"name": "DB_PASSWORD", "value": …}`."""
    if name in _VALUE_NAMES:
        for other, value in siblings:
            if other in ("name", "key", "Name", "Key", "variable") and isinstance(value, str):
                return value[:200]
    return name
