"""A message while its records are gathered, for agents that write one message as many records."""

from __future__ import annotations

from dataclasses import dataclass, field

from gitsession.model.message import Message, Part, Usage


@dataclass(slots=True)
class MessageDraft:
    """A Message whose parts still arrive. `kept` holds the prompts that a compaction keeps."""

    role: str
    record: int
    time: str = ""
    model: str = ""
    native_id: str = ""
    parts: list[Part] = field(default_factory=list)
    usage: Usage | None = None
    kept: tuple[str, ...] = ()

    def answer(self, result: Part) -> None:
        """Insert a result right after its call."""
        at = len(self.parts)
        for index, part in enumerate(self.parts):
            if part.kind == "tool_call" and part.call_id == result.call_id:
                at = index + 1
        self.parts.insert(at, result)

    def message(self) -> Message:
        """Return the message as far as it has arrived."""
        return Message(
            self.role,
            tuple(self.parts),
            self.time,
            self.model,
            self.native_id,
            record=self.record,
            usage=self.usage,
            extra={"kept": self.kept} if self.kept else {},
        )
