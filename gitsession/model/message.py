"""Messages and their parts: what a model sees and a person reads, derived from native records.

One flat Part class with a `kind`, not a class for each kind: adapters build parts from tables,
renderers switch on `kind`, and a part of an unknown kind is `opaque` and keeps its native value
whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitsession.model.usage import Usage as Usage

PART_KINDS = (
    "text", "reasoning", "tool_call", "tool_result", "file", "image", "step", "patch",
    "compaction", "subtask", "retry", "opaque",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message.

    text        text, reasoning, tool_result (the output), compaction (the summary)
    name        tool_call: the tool; file, image: the path or media type; step, opaque: native type
    call_id     tool_call and tool_result: the id that pairs them
    input       tool_call: its arguments, as the agent gave them (parsed JSON, or a string)
    error       tool_result: the tool failed
    synthetic   made by gitsession (a result for a call that never got one)
    native      the native value, if `kind` cannot express everything (always for opaque)
    """

    kind: str
    text: str = ""
    name: str = ""
    call_id: str = ""
    input: object = None
    error: bool = False
    synthetic: bool = False
    native: object = None


@dataclass(frozen=True, slots=True)
class Message:
    """`role` is user, assistant, system or `note` (which has no tools); `parts` are in order.

    A tool result goes with its call: it is a part of the assistant message that made the call.
    `native_id` is the agent's own id of (the first record of) this message, "" if it has none;
    `record` is the index of that record in the stream named `stream`. `time` is ISO-8601 UTC with
    Z, or "".
    """

    role: str
    parts: tuple[Part, ...]
    time: str = ""
    model: str = ""
    native_id: str = ""
    stream: str = "main"
    record: int = -1
    usage: Usage | None = None
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All text parts, joined by newlines: what a person would quote."""
        return "\n".join(part.text for part in self.parts if part.kind == "text")
