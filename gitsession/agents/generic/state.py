"""Working state by flat names, and as the members of the generic format that hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitsession.agents.lenient import mapping_of

_GROUPS = {
    "contextual_state": (
        "active_file",
        "active_line",
        "code_analysis_cache",
        "working_memory",
        "available_tools",
    ),
    "tool_execution_state": ("last_run_command", "exit_code", "output_snippet"),
}
STATE = (*_GROUPS["contextual_state"], *_GROUPS["tool_execution_state"], "todos")


def state_members(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return flat state (some of the names in STATE) as the members of a line."""
    members: dict[str, Any] = {}
    for group, names in _GROUPS.items():
        inner = {name: state[name] for name in names if name in state}
        if inner:
            members[group] = inner
    if "todos" in state:
        members["todos"] = state["todos"]
    return members


def flat_state(values: Mapping[str, Any]) -> dict[str, Any]:
    """Do the opposite, tolerating whatever a file may contain."""
    flat: dict[str, Any] = {}
    for group, names in _GROUPS.items():
        given = mapping_of(values.get(group))
        flat.update((name, given[name]) for name in names if name in given)
    if "todos" in values:
        flat["todos"] = values["todos"]
    return flat
