"""The project a session belongs to: as its versions say, or as a person set it with `relink`."""

from __future__ import annotations

import os

from gitsession.model.history import HEADS
from gitsession.project import same_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gitsession.model.history import Tip
    from gitsession.operations.workspace import Workspace


KIND = "projects"
"""The kind of records that hold links made by hand, one per session."""


def by_hand(workspace: Workspace) -> dict[str, str]:
    """Return session -> project for the sessions that a person linked."""
    rows = workspace.store.records.items(KIND)
    return {session: str(record.get("project", "")) for session, record in rows}


def project_of(workspace: Workspace, session: str, trailers: Mapping[str, str]) -> str:
    """Return the id of a session's project; `trailers` are those of one of its versions."""
    linked = workspace.store.records.read(KIND, session) if session else None
    return str(linked.get("project", "")) if linked else trailers.get("Project", "")


class Place:
    """A folder as `list` and `resume` understand it: its own project or, if no session belongs to
    that, the innermost project around it that has sessions."""

    __slots__ = ("_folder", "_workspace")

    def __init__(self, workspace: Workspace, folder: str = "") -> None:
        self._workspace = workspace
        self._folder = folder or workspace.directory

    def among(self, projects: Iterable[str]) -> Callable[[str], bool]:
        """Return a test of whether a project is meant, given the projects with known sessions."""
        known = set(projects)
        own = ""
        for identity in self._around():
            own = own or identity
            if any(same_project(identity, project) for project in known):
                return lambda project: same_project(identity, project)
        return lambda project: same_project(own, project)

    def _around(self) -> Iterator[str]:
        """Yield the project ids of the folder and of the folders above it, up to the top of the
        work tree, or to just below the user's home."""
        folder = os.path.realpath(self._folder)
        home = os.path.realpath(self._workspace.environment.home_folder)
        top = self._workspace.compared(folder).root
        yield self._workspace.compared(folder).id
        while folder != top:
            above = os.path.dirname(folder)
            if above == folder or (home + "/").startswith(above.rstrip("/") + "/"):
                return
            folder = above
            yield self._workspace.compared(folder).id


def tips_here(workspace: Workspace) -> list[Tip]:
    """Return the branch tips of this directory's sessions, newest first."""
    tips = workspace.store.tips(HEADS)
    linked = by_hand(workspace)
    projects = {tip.ref: linked.get(_session(tip), tip.trailers.get("Project", "")) for tip in tips}
    belongs = Place(workspace).among(projects.values())
    here = [tip for tip in tips if belongs(projects[tip.ref])]
    return sorted(here, key=lambda tip: (tip.time, tip.ref), reverse=True)


def newest_here(workspace: Workspace) -> str:
    """Return `<session>/<branch>` of this directory's newest session that is neither empty nor
    archived; "" if there is none. HEAD means this branch until something sets it."""
    archived = set(workspace.store.records.names("archived"))
    for tip in tips_here(workspace):
        if tip.trailers.get("Messages", "0") != "0" and _session(tip) not in archived:
            return tip.ref.removeprefix(HEADS)
    return ""


def _session(tip: Tip) -> str:
    return tip.ref.removeprefix(HEADS).partition("/")[0]


def folder_of(workspace: Workspace, project: str) -> str:
    """Return the folder of a project's files as seen from this directory; "" if it is another
    project.

    In a code repository this is the session's subfolder in this very work tree; otherwise it is the
    project's folder, if this directory is that folder or inside it.
    """
    here = os.path.realpath(workspace.directory)
    if project.startswith("path:"):
        place = project.removeprefix("path:")
        inside = os.path.isabs(place) and (here + "/").startswith(place.rstrip("/") + "/")
        return place if inside else ""
    own = workspace.project(here)
    if not (project.startswith("git:") and own.id.startswith("git:")):
        return ""
    subfolder, mine = project.split(":", 3)[2], own.id.split(":", 3)
    mine[2] = subfolder
    if not same_project(":".join(mine), project):
        return ""
    return os.path.join(own.root, subfolder) if subfolder else own.root
