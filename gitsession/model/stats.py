"""The numbers that `stats` reports for a session."""

from __future__ import annotations

from dataclasses import dataclass

from gitsession.model.usage import Usage


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How often a tool was called, and how often its result reports an error."""

    name: str
    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class Loop:
    """The same tool call, with the same input, several times in a row. `first` and `last` are
    message numbers; `input` is the input on one line."""

    tool: str
    input: str
    times: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The counts of one version; `models` are in the order in which they answered. `subagents`
    counts those with a conversation of their own in this version, which the other counts
    exclude."""

    turns: int
    prompts: int
    messages: int
    compactions: int
    models: tuple[str, ...]
    tokens: Usage
    tools: tuple[ToolUse, ...]
    loops: tuple[Loop, ...]
    subagents: int = 0
