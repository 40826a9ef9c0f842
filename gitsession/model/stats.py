"""What `stats` counts in a session."""

from __future__ import annotations

from dataclasses import dataclass

from gitsession.model.usage import Usage


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How often a tool was called, and how often its result says that it failed."""

    name: str
    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class Loop:
    """The same call of a tool, with the same input, several times in a row. `first` and `last` are
    numbers of messages; `input` is what it was called with, on one line."""

    tool: str
    input: str
    times: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one version; `models` in the order in which they answered. `subagents` is how many
    have a conversation of their own there, which is not in the other counts."""

    turns: int
    prompts: int
    messages: int
    compactions: int
    models: tuple[str, ...]
    tokens: Usage
    tools: tuple[ToolUse, ...]
    loops: tuple[Loop, ...]
    subagents: int = 0
