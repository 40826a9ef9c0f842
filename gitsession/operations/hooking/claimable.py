"""Whose snapshot a session may claim: sessions of the same project in the same work tree.

Two work trees of one repository are one project but two places: an agent in the second does not
continue what another does in the first. A folder inside a work tree is the same place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice

from gitsession.model.history import HEADS
from gitsession.operations import projects
from gitsession.project import repository_of, same_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Tip
    from gitsession.operations.workspace import Workspace

_MOST = 100
"""How many sessions of the project are examined, the newest ones: each costs a few reads."""


def candidates(workspace: Workspace, own: str) -> Iterator[tuple[str, Tip]]:
    """Yield sessions other than `own` with their newest version, newest first: only those of this
    place, not archived, with messages, and without anything that somebody else made."""
    tips = _newest(workspace, own)
    linked = projects.by_hand(workspace)
    of = {session: linked.get(session, tip.trailers.get("Project", "")) for session, tip in tips}
    belongs = _belongs(workspace, list(of.values()))
    here = _place(workspace.directory)
    known: set[str] = set()
    for session, tip in islice((row for row in tips if belongs(of[row[0]])), _MOST):
        if session not in linked and not _is_at(workspace, tip, here):
            continue
        if workspace.store.is_own(tip.id, known):
            yield session, tip


def _newest(workspace: Workspace, own: str) -> list[tuple[str, Tip]]:
    archived = set(workspace.store.records.names("archived"))
    found: dict[str, Tip] = {}
    for tip in workspace.store.tips(HEADS):
        session = tip.ref.removeprefix(HEADS).partition("/")[0]
        if session == own or session in archived or tip.trailers.get("Messages", "0") == "0":
            continue
        if session not in found or _age(tip) > _age(found[session]):
            found[session] = tip
    return sorted(found.items(), key=lambda row: _age(row[1]), reverse=True)


def _age(tip: Tip) -> tuple[int, str]:
    return tip.time, tip.ref


def _belongs(workspace: Workspace, known: list[str]) -> Callable[[str], bool]:
    """Return a test of whether a project is this one; folders inside a repository do not matter."""
    own = workspace.project(workspace.directory).id
    around = projects.Place(workspace).among(known)
    whole = _without_folder(own)
    return lambda project: around(project) or same_project(_without_folder(project), whole)


def _without_folder(project: str) -> str:
    if not project.startswith("git:"):
        return project
    kind, root, _, remote = project.split(":", 3)
    return f"{kind}:{root}::{remote}"


def _is_at(workspace: Workspace, tip: Tip, here: str) -> bool:
    """Whether a session took place in this work tree. This is assumed if its folder is gone (it was
    moved, or the session comes from another machine)."""
    from gitsession.snapshot.decoding import decode_head

    folder = decode_head(workspace.store.tree(tip.id)).session.info.cwd
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        return True
    return _place(folder) == here or repository_of(os.path.realpath(folder)) is None


def _place(folder: str) -> str:
    """Return the top of the work tree, with links resolved; outside one, the folder itself."""
    path = os.path.realpath(folder)
    found = repository_of(path)
    return os.path.realpath(found[0]) if found else path
