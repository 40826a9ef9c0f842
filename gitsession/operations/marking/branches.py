"""branch and fork: list, create at a version or a message, delete (undo restores), rename."""

from __future__ import annotations

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.operations import homes, natives
from gitsession.operations.names import check_name
from gitsession.operations.saving import cut
from gitsession.render import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Tip
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved
    from gitsession.store.transaction import Transaction


_OF_A_REMOTE = "refs/remotes/<remote>/<session>/<branch>".count("/")


def list_branches(workspace: Workspace, session: str = "", *, remotes: bool = False) -> list[Tip]:
    """Return the newest version of every branch of one session, or of all, sorted by name; with
    `remotes` followed by those fetched."""
    tips = workspace.store.tips(f"{HEADS}{session}/" if session else HEADS)
    if not remotes:
        return tips
    fetched = [tip for tip in workspace.store.tips(REMOTES) if tip.ref.count("/") == _OF_A_REMOTE]
    return [*tips, *fetched]


def create(workspace: Workspace, name: str, found: Resolved, *, move: bool = False) -> str:
    """Create a branch at a version, or right after one of its messages; return its full name
    `<session>/<branch>`.

    `move` takes this directory's HEAD along (fork). Nothing is copied: a branch is a ref, and one
    at a message adds one shortened turn. Raises UsageError, Conflict, NotFound.
    """
    session, _ = homes.home_of(workspace, found)
    clean = workspace.names.clean
    branch = homes.new_branch(
        session, clean(check_name(name, "branch")), homes.branches_of(workspace, session)
    )
    if workspace.store.ref(TAGS + branch):
        raise Conflict(f"a tag {branch} exists; a branch cannot have the same name")
    commit = _target(workspace, found)
    with workspace.store.transaction("fork" if move else "branch", workspace.directory) as change:
        change.move(clean(HEADS + branch), "", commit)
        if move:
            change.head(workspace.directory, clean(branch))
    return branch


def _target(workspace: Workspace, found: Resolved) -> str:
    if not found.message:
        return found.commit
    version = workspace.store.version(found.commit)
    head = snapshot.decode_head(workspace.store.tree(version.tree))
    agent = registry.get(head.session.info.agent)
    part = cut.at_message(workspace, agent, version, found.message)
    return cut.write_cut(workspace, agent, part)


def delete(workspace: Workspace, full: str) -> None:
    """Delete `<session>/<branch>`. Its versions stay for undo; the native session that continued it
    is not saved again until `undo` or `save ID`. Raises NotFound, Conflict."""
    tip = workspace.store.ref(HEADS + full)
    if not tip:
        raise _no_branch(full)
    if not _neighbour(workspace, full):
        raise Conflict(
            f"{full} is the only branch of its session",
            hint=f"gitsession delete {safe.pasted(full.partition('/')[0])} deletes the session",
        )
    clean = workspace.names.clean
    buried = natives.ids_on(workspace, full)
    with workspace.store.transaction("branch-delete", workspace.directory) as change:
        change.move(clean(HEADS + full), tip, "")
        _drop_wip(workspace, change, full)
        if workspace.store.head(workspace.directory) == full:
            change.head(workspace.directory, clean(_neighbour(workspace, full)))
        change.note(buried=clean("\n".join(buried)))
    natives.bury(workspace, buried)


def _neighbour(workspace: Workspace, full: str) -> str:
    """Return another branch of the same session, `main` before others; "" if there is none."""
    session, _, branch = full.partition("/")
    others = set(homes.branches_of(workspace, session)) - {branch}
    if not others:
        return ""
    return f"{session}/{'main' if 'main' in others else min(others)}"


def _drop_wip(workspace: Workspace, change: Transaction, full: str) -> None:
    at = workspace.store.ref(WIP + full)
    if at:
        change.move(workspace.names.clean(WIP + full), at, "")


def rename(workspace: Workspace, old: str, name: str) -> str:
    """Rename `<session>/<branch>`; native sessions and HEADs follow. Raises NotFound, UsageError,
    Conflict."""
    session, _, branch = old.partition("/")
    tip = workspace.store.ref(HEADS + old)
    if not tip:
        raise _no_branch(old)
    taken = homes.branches_of(workspace, session)
    clean = workspace.names.clean
    new = homes.new_branch(session, clean(check_name(name, "branch")), taken, instead_of=branch)
    if workspace.store.ref(TAGS + new):
        raise Conflict(f"a tag {new} exists; a branch cannot have the same name")
    with workspace.store.transaction("branch-rename", workspace.directory) as change:
        change.move(clean(HEADS + old), tip, "")
        change.move(clean(HEADS + new), "", tip)
        homes.move_wip(workspace, change, old, new)
        change.note(**{"from": clean(old), "to": clean(new)})
    natives.rename(workspace, {old: new})
    return new


def _no_branch(full: str) -> NotFound:
    return NotFound(f"there is no branch {full}", hint="`gitsession branch -l` lists them")
