"""Where a checkout goes: on which branch it continues, and what happens to who was there."""

from __future__ import annotations

from dataclasses import dataclass

from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.operations.names import check_name, next_branch, split_ref
from gitsession.operations.natives import NativeRecord, bound_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


@dataclass(frozen=True, slots=True)
class Destination:
    """`branch` is `<session>/<branch>`; `creates` says that it does not exist yet. `moved` is the
    native session that leaves it (taken over), `moved_to` the branch made for that one."""

    branch: str
    creates: bool
    moved: NativeRecord | None = None
    moved_to: str = ""


def choose(
    workspace: Workspace, found: Resolved, commit: str, *, name: str = "", take_over: bool = False
) -> Destination:
    """The branch for a checkout of `commit`, which `found` named. Raises Conflict, UsageError.

    A wanted name makes a new branch. Else the tip of a branch that nobody here continues is
    continued on it; anything else becomes `<branch>-2`, `-3` …
    """
    session, branch = home_of(workspace, found)
    taken = branches_of(workspace, session)
    if name:
        return Destination(new_branch(session, name, taken), True)
    full = f"{session}/{branch}"
    if branch not in taken:  # a remote's branch that is not here yet
        return Destination(full, True)
    at_tip = taken[branch] == commit
    if take_over and not at_tip:
        raise Conflict(
            f"only the tip of {full} can be continued on that branch",
            hint="without --continue the checkout makes a branch of its own",
        )
    other = f"{session}/{next_branch(branch, taken)}"
    if not at_tip:
        return Destination(other, True)
    holder = bound_to(workspace, full)
    if holder is None:
        return Destination(full, False)
    if take_over:
        return Destination(full, False, holder, other)
    return Destination(other, True)


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
