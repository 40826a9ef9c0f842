"""The session and branch a version belongs to, and which branch names are free in a session."""

from __future__ import annotations

from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.operations.names import check_name, split_ref
from gitsession.store.names import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved
    from gitsession.store.transaction import Transaction


def home_of(workspace: Workspace, found: Resolved) -> tuple[str, str]:
    """Return the (session, branch) of a resolved revision; for a tag or an id, the branch that
    contains it, HEAD's before others. Raises NotFound if no branch does."""
    if found.branch:
        session, _, branch = found.branch.partition("/")
        return session, branch
    if found.ref.startswith(REMOTES):
        _, _, rest = found.ref.removeprefix(REMOTES).partition("/")
        session, _, branch = rest.partition("/")
        return session, branch
    within = ""
    if found.ref.startswith(TAGS):
        within = split_ref(found.ref, TAGS)[0]
    chosen = _holding(workspace, found.commit, within)
    if chosen:
        session, _, branch = _preferred(workspace, chosen).partition("/")
        return session, branch
    if within:
        return within, "main"
    raise NotFound(
        "that version is on no branch",
        hint="`gitsession undo` may bring its branch back",
    )


def _holding(workspace: Workspace, commit: str, session: str = "") -> list[str]:
    """Return the branches whose history contains that version; only branches of the same session
    are searched."""
    store = workspace.store
    identity = store.version(commit).trailers.get("Session", "")
    return [
        tip.ref.removeprefix(HEADS)
        for tip in store.tips(f"{HEADS}{session}/" if session else HEADS)
        if tip.trailers.get("Session", "") == identity and store.is_ancestor(commit, tip.id)
    ]


def _preferred(workspace: Workspace, branches: list[str]) -> str:
    head = workspace.store.head(workspace.directory)
    if head in branches:
        return head
    return min(branches, key=lambda full: (not full.endswith("/main"), full))


def branches_of(workspace: Workspace, session: str) -> dict[str, str]:
    """Return branch name -> commit for one session."""
    prefix = f"{HEADS}{session}/"
    return {ref.removeprefix(prefix): at for ref, at in workspace.store.refs(prefix).items()}


def new_branch(session: str, name: str, taken: dict[str, str], instead_of: str = "") -> str:
    """Return `<session>/<name>` if the name is valid and free. It may differ from the branch
    `instead_of` in spelling alone. Raises UsageError, Conflict."""
    name = check_name(name, "branch")
    if name in taken:
        from gitsession.render import safe

        raise Conflict(
            f"the branch {session}/{name} already exists",
            hint=f"gitsession checkout {safe.pasted(f'{session}/{name}')} goes there, another name "
            "makes a new one",
        )
    check_spelling(name, taken.keys() - {instead_of})
    return f"{session}/{name}"


def check_spelling(name: str, taken: Iterable[str]) -> None:
    """Raises Conflict for a name that macOS or Windows would take for another one: the store may be
    copied there, and refs are files."""
    for other in taken:
        if other != name and folded(other) == folded(name):
            raise Conflict(
                f"{other} exists, which is the same file as {name} on a Mac and on Windows",
                hint="choose a name that differs in more than capitals and accents",
            )


def move_wip(workspace: Workspace, change: Transaction, old: str, new: str) -> None:
    """Move the open tail of a branch to the branch's new name."""
    at = workspace.store.ref(WIP + old)
    if at:
        clean = workspace.names.clean
        change.move(clean(WIP + old), at, "")
        change.move(clean(WIP + new), "", at)
