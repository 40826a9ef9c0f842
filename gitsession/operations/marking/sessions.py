"""rename, archive, delete and exclude: what a person decides about whole sessions."""

from __future__ import annotations

import os

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.errors import NotFound, UsageError
from gitsession.model.history import HEADS
from gitsession.operations import natives
from gitsession.operations.saving import renaming
from gitsession.store.transaction import title_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace


def refs_of(workspace: Workspace, session: str) -> dict[str, str]:
    """Return every ref of a session, by name. Raises NotFound for a session without a branch."""
    found = renaming.refs_of(workspace, session)
    if not any(ref.startswith(HEADS) for ref in found):
        raise NotFound("there is no such session", hint="`gitsession list --all` lists all of them")
    return found


def rename(workspace: Workspace, session: str, title: str) -> str:
    """Give a session another title and the name derived from it; return the new name.

    The hex digits stay, so that the name never collides with another session's. Versions are not
    changed: the title stays in this store, the name travels with a push.
    """
    clean = workspace.names.clean
    title = clean(" ".join(title.split()))
    if not title:
        raise UsageError("a session needs a title")
    slug = snapshot.slug(title) or "session"
    new = clean(f"{slug}-{session.rpartition('-')[2]}")
    with workspace.store.transaction("rename", workspace.directory) as change:
        refs_of(workspace, session)  # raises if there is no such session
        if new != session:
            renaming.move(workspace, change, session, new)
        # A save never renames a session whose title the user has set.
        before = title_of(workspace.store, session)
        if before != title:
            change.entitle(new, clean(before), title)
    return new


def archive(workspace: Workspace, session: str, undo: bool = False) -> str:
    """Hide a session from `list` (or show it again) and return its name; nothing else changes."""
    refs_of(workspace, session)
    if undo:
        workspace.store.records.remove("archived", session)
    else:
        workspace.store.records.write("archived", workspace.names.clean(session), {})
    return session


def delete(workspace: Workspace, session: str, purge: bool = False) -> tuple[str, ...]:
    """Move a session's refs to the operation log, from which `undo` restores all of it; return the
    places where copies remain.

    Its native sessions get tombstones. With `purge`, the objects that nothing else holds are
    dropped at once, for good.
    """
    refs = refs_of(workspace, session)
    clean = workspace.names.clean
    buried = _native_names(workspace, session)
    if purge:
        from gitsession.operations.care import purge as dropping

        natives.bury(workspace, buried)
        copies = _copies(workspace, session, buried)
        dropping.purge(workspace, session, buried)
        return copies
    with workspace.store.transaction("delete", workspace.directory) as change:
        for ref, at in refs.items():
            change.move(clean(ref), at, "")
        if workspace.store.head(workspace.directory).startswith(f"{session}/"):
            change.head(workspace.directory, "")
        change.note(buried=clean("\n".join(buried)))
    natives.bury(workspace, buried)
    return _copies(workspace, session, buried)


def _native_names(workspace: Workspace, session: str) -> list[str]:
    """Return `<agent>/<id>` of the session itself and of everything that continued it."""
    names = [natives.name_of(record) for record in natives.of_session(workspace, session)]
    for tip in workspace.store.tips(f"{HEADS}{session}/"):
        names += [tip.trailers.get(trailer, "") for trailer in ("Session", "Native")]
    return sorted({name for name in names if name})


def _copies(workspace: Workspace, session: str, buried: list[str]) -> tuple[str, ...]:
    remotes = workspace.store.refs("refs/remotes/")
    at_remotes = {ref.split("/")[2] for ref in remotes if f"/{session}/" in ref}
    said = [f"the remote {name}" for name in sorted(at_remotes)]
    said += [
        f"{record['agent']}'s own file of {record['native_id']}"
        for name in buried
        if (record := workspace.store.records.read("native", name)) is not None
        and natives.path_of(workspace, record)
    ]
    return tuple(said)


def exclude(workspace: Workspace, what: str, undo: bool = False) -> str:
    """Never again read a folder's sessions, or one native session (`<agent>/<id>`), in any store.

    This is recorded in the user's own configuration; return the name used there. Raises NotFound.
    """
    name = _exclusion(workspace, what)
    excluded = workspace.config.mappings["excluded"]
    if undo and name not in excluded:
        raise NotFound("that is not excluded", hint="`gitsession exclude` lists what is")
    kind = "folder" if os.path.isabs(name) else "session"
    changed = workspace.config.with_mapping("excluded", name, None if undo else kind)
    changed.save()
    workspace.config = changed
    return name


def _exclusion(workspace: Workspace, what: str) -> str:
    path = os.path.normpath(os.path.join(workspace.directory, os.path.expanduser(what)))
    is_folder = os.path.isdir(path) or path in workspace.config.mappings["excluded"]
    if what and is_folder:
        return os.path.realpath(path)
    for record in natives.known(workspace):
        if what in (record["native_id"], natives.name_of(record)):
            return natives.name_of(record)
    if what.partition("/")[0] in registry.names() and what.partition("/")[2]:
        return what
    raise NotFound(
        "that is neither a folder nor a session known here",
        hint="name a folder, or a native session as AGENT/ID",
    )
