"""log: which versions, and which names they have. Light: reads commits and refs only."""

from __future__ import annotations

from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.store import revisions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gitsession.model.history import Version
    from gitsession.operations.workspace import Workspace


def log(
    workspace: Workspace, revision: str, limit: int, skip: int, grep: str, graph: bool
) -> list[Version]:
    """Return the versions from a revision back, newest first; for `A..B` those of B that A does not
    have; with `graph` those of every branch of the session."""
    store, directory = workspace.store, workspace.directory
    if revisions.is_range(revision):
        first, second = revisions.resolve_range(store, revision, directory, whole=True)
        starts, hidden = [second.commit], [first.commit]
    else:
        found = revisions.resolve(store, revision, directory, whole=True)
        starts, hidden = [found.commit], []
        if graph and found.branch:
            session = found.branch.partition("/")[0]
            starts += [at for at in store.refs(f"{HEADS}{session}/").values() if at not in starts]
    return list(store.log(starts, limit=limit, skip=skip, grep=grep, hidden=hidden))


def decorations(workspace: Workspace, commits: Collection[str]) -> dict[str, list[str]]:
    """Return version id → full names of the branches and tags at it, for those of these versions
    that have any."""
    from gitsession.store.naming import naming

    names: dict[str, list[str]] = {}
    for prefix in (HEADS, REMOTES, TAGS):
        for ref, commit in naming(workspace.store, prefix, commits):
            names.setdefault(commit, []).append(ref)
    return names
