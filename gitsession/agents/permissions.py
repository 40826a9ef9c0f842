"""Record members about what an agent is allowed to do: never written for any agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FIELDS = frozenset(
    (
        "approvalMode", "approvalPolicy", "approval_policy", "approvals_reviewer",
        "approvedCommandPrefixes", "approved_command_prefixes", "collaboration_mode",
        "collaboration_mode_kind", "network_access", "permissionDecision", "permissionMode",
        "permission_profile", "permissions", "requested_approvals_reviewer", "sandbox",
        "sandboxMode", "sandboxPolicy", "sandbox_mode", "sandbox_policy", "trusted", "yolo",
    )
)  # fmt: skip
"""Members of the records of all agents; some of them are read back by their agents on resume."""


def without(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record without these members."""
    return {name: value for name, value in row.items() if name not in FIELDS}
