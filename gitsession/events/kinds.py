"""All types of events by category: what `events` can be filtered by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitsession.errors import UsageError, did_you_mean

CATEGORIES: Mapping[str, Sequence[str]] = {
    "user-prompt": ("user_prompt",),
    "decision": ("decision", "decision_question"),
    "role": ("role",),
    "intent": ("intent",),
    "goal": ("goal",),
    "blocked-on": ("blocker", "blocker_resolved"),
    "data": ("data",),
    "file": ("file_read", "file_edit", "file_write", "file_glob", "file_search"),
    "rule": ("rule", "rule_content"),
    "cwd": ("cwd",),
    "env": ("env", "worktree", "worktree_exit"),
    "git": ("git", "git_commit"),
    "task": ("task", "task_create", "task_update"),
    "plan": ("plan_enter", "plan_exit", "plan_approved", "plan_rejected", "plan_file_write"),
    "subagent": ("subagent_launched", "subagent_completed"),
    "agent-finding": ("agent_finding",),
    "skill": ("skill",),
    "mcp": ("mcp",),
    "mcp-tool-call": ("mcp_tool_call",),
    "external-ref": ("external_ref",),
    "error": ("error_tool",),
    "error-resolution": ("error_resolved",),
    "constraint": ("constraint_discovered",),
    "iteration-loop": ("retry_detected",),
    "rejected-approach": ("rejected",),
    "latency": ("latency",),
    "redirect": ("redirect",),
    "compaction": ("compaction",),
}
TYPES: Mapping[str, str] = {name: group for group, names in CATEGORIES.items() for name in names}
"""The category of each type."""


def check(types: Sequence[str], categories: Sequence[str]) -> None:
    """Raise UsageError, naming the valid ones, for a type or category that does not exist."""
    for word in types:
        if word not in TYPES:
            raise _unknown("type", word, TYPES, "category" if word in CATEGORIES else "")
    for word in categories:
        if word not in CATEGORIES:
            raise _unknown("category", word, CATEGORIES, "type" if word in TYPES else "")


def _unknown(what: str, word: str, known: Mapping[str, object], other: str) -> UsageError:
    sentence = f"there is no {what} of events called {word}"
    if other:
        return UsageError(sentence, hint=f"it is a {other}: --{other} {word}")
    return UsageError(sentence, hint=did_you_mean(word, known) + "one of " + ", ".join(known))
