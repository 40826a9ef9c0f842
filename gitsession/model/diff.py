"""The differences between two sessions: returned by `compare`, shown by `render`.

`status` is always `added`, `removed` or `changed`; numbers of messages and turns count from 1 and
are 0 on the side where the thing does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gitsession.model.call import Call
from gitsession.model.message import Message, Usage
from gitsession.model.session import Counts


@dataclass(frozen=True, slots=True)
class MessageChange:
    """One message that differs between the sides. `changed` means the same message (by native id,
    or because it only grew) with other parts."""

    status: str
    old_number: int = 0
    new_number: int = 0
    old: Message | None = None
    new: Message | None = None

    @property
    def message(self) -> Message:
        """The new message, or the old one if it was removed."""
        message = self.new or self.old
        assert message is not None
        return message

    @property
    def number(self) -> int:
        return self.new_number or self.old_number


@dataclass(frozen=True, slots=True)
class TurnChange:
    """A user prompt and the messages that followed it; `messages` holds only those that differ."""

    status: str
    prompt: str
    messages: tuple[MessageChange, ...]
    old_number: int = 0
    new_number: int = 0

    @property
    def number(self) -> int:
        return self.new_number or self.old_number


@dataclass(frozen=True, slots=True)
class CallChange:
    """A tool call that was added or removed, or whose arguments or outcome differ."""

    status: str
    old: Call | None = None
    new: Call | None = None

    @property
    def call(self) -> Call:
        call = self.new or self.old
        assert call is not None
        return call


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's bytes on both sides; None where it does not exist or its content is not stored.
    `old_reason` and `new_reason` then say why (`deleted`, `secret`, `too large` …). If a file with
    content on both sides became executable or ceased to be, `runs` says whether it is executable
    now; else it is None."""

    path: str
    status: str
    old: bytes | None = None
    new: bytes | None = None
    old_reason: str = ""
    new_reason: str = ""
    runs: bool | None = None


@dataclass(frozen=True, slots=True)
class TodoChange:
    """A task: its status (and text) before and after; "" where it does not exist."""

    status: str
    text: str
    old_status: str = ""
    new_status: str = ""
    old_text: str = ""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of metadata (`info.title`) or working state (`state.active_file`)."""

    name: str
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class LeftContext:
    """What a compaction removed from the model's view: the messages with their old numbers, and the
    summaries that replace them."""

    messages: tuple[tuple[int, Message], ...]
    summaries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionDiff:
    """All differences. `unchanged` counts messages that are the same on both sides."""

    messages: tuple[MessageChange, ...] = ()
    turns: tuple[TurnChange, ...] = ()
    calls: tuple[CallChange, ...] = ()
    files: tuple[FileChange, ...] = ()
    instructions: tuple[FileChange, ...] = ()
    sidecars: tuple[FileChange, ...] = ()
    todos: tuple[TodoChange, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    left: LeftContext | None = None
    unchanged: int = 0
    old_counts: Counts = field(default_factory=Counts)
    new_counts: Counts = field(default_factory=Counts)
    old_usage: Usage = field(default_factory=Usage)
    new_usage: Usage = field(default_factory=Usage)

    @property
    def empty(self) -> bool:
        """Whether there is nothing that a person would call a difference."""
        return not (
            self.messages
            or self.files
            or self.instructions
            or self.sidecars
            or self.todos
            or self.fields
            or self.left
        )

    def count(self, what: str, status: str) -> int:
        """Return how many of `messages`, `turns`, `calls`, `files` … have that status."""
        return sum(1 for change in getattr(self, what) if change.status == status)

    def summary(self) -> str:
        """Return one line: `2 turns added (5 messages, 3 tool calls), 1 file changed`."""
        said = [_counted(self, what) for what in ("turns", "messages", "calls", "files", "todos")]
        if self.left:
            number = len(self.left.messages)
            said.append(f"{number} message{'s' * (number != 1)} left the context")
        if self.fields:
            said.append(f"{len(self.fields)} field{'s' * (len(self.fields) != 1)} changed")
        return ", ".join(text for text in said if text) or "no differences"


_WORDS = {"turns": "turn", "messages": "message", "calls": "tool call", "files": "file",
          "todos": "todo"}  # fmt: skip


def _counted(diff: SessionDiff, what: str) -> str:
    said: list[str] = []
    for status in ("removed", "changed", "added"):
        if number := diff.count(what, status):
            plural = "" if number == 1 else "s"
            said.append(
                f"{number} {_WORDS[what]}{plural} {status}" if not said else f"{number} {status}"
            )
    return ", ".join(said)
