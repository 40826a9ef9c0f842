"""What a person has excluded from reading: a native session, its folder, or a folder above it."""

from __future__ import annotations

import os

from gitsession.agents import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace


def is_excluded(workspace: Workspace, agent: str, native_id: str, folder: str) -> bool:
    """Whether a person excluded this native session, its folder, or a folder above it."""
    excluded = workspace.config.mappings["excluded"]
    if not excluded:
        return False
    if f"{agent}/{native_id}" in excluded:
        return True
    place = folder or _folder_of(workspace, agent, native_id)
    place = os.path.realpath(place) if place else ""
    while place and place not in excluded:
        above = os.path.dirname(place)
        place = above if above != place else ""
    return bool(place)


def _folder_of(workspace: Workspace, agent: str, native_id: str) -> str:
    """Return the folder a session ran in, as the head of its file records it, for sessions whose
    location alone does not show it; "" if unknown."""
    from gitsession.agents.base import source_in

    adapter = registry.get(agent)
    for source in adapter.find(workspace.environment, native_id=native_id):
        if source.native_id == native_id:
            known = source_in(adapter, source.file, native_id)
            return known.cwd if known else ""
    return ""
