"""One set of tools for all agents: what a call did, whatever the agent calls its tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gitsession.model.call import Call

KINDS = (
    "read", "write", "edit", "patch", "glob", "grep", "shell", "todos", "task_create",
    "task_update", "plan_enter", "plan_exit", "subagent", "skill", "mcp", "ask", "fetch",
    "web_search", "worktree", "other",
)  # fmt: skip


class Found(NamedTuple):
    """What one rule found: an Event without its place."""

    type: str
    category: str
    priority: int
    data: str


@dataclass(frozen=True, slots=True)
class Used:
    """A tool call in agent-independent terms. `path` is the file it names (absolute or as given),
    `command` a shell's command, `text` the other main argument (a pattern, a question, a skill's
    name, a subagent's task, a URL), `output` the result, `failed` whether it failed."""

    kind: str
    call: Call
    path: str = ""
    command: str = ""
    text: str = ""
    output: str = ""
    failed: bool = False
    input: Mapping[str, object] = field(default_factory=dict)
