"""Where a version is at home: its session and branch, and which names are free there."""

from __future__ import annotations

from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.operations.names import check_name, split_ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved
    from gitsession.store.transaction import Transaction


def home_of(workspace: Workspace, found: Resolved) -> tuple[str, str]:
    """(session, branch) that a resolved revision belongs to; for a tag or an id the branch it lies
    on, HEAD's before others."""
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
        "that version lies on no branch",
        hint="gitsession undo may bring its branch back",
    )


def _holding(workspace: Workspace, commit: str, session: str = "") -> list[str]:
    """The branches whose history has that version. Only those of the same session are looked at."""
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
    """Branch name -> commit, of one session."""
    prefix = f"{HEADS}{session}/"
    return {ref.removeprefix(prefix): at for ref, at in workspace.store.refs(prefix).items()}


def new_branch(session: str, name: str, taken: dict[str, str]) -> str:
    """`<session>/<name>` for a name that is good and free. Raises UsageError, Conflict."""
    name = check_name(name, "branch")
    if name in taken:
        raise Conflict(
            f"the branch {session}/{name} exists already",
            hint=f"gitsession checkout {session}/{name} goes there, another name makes a new one",
        )
    return f"{session}/{name}"


def move_wip(workspace: Workspace, change: Transaction, old: str, new: str) -> None:
    """The open tail of a branch under the branch's new name."""
    at = workspace.store.ref(WIP + old)
    if at:
        clean = workspace.names.clean
        change.move(clean(WIP + old), at, "")
        change.move(clean(WIP + new), "", at)
