"""Where a checkout goes: the branch it continues on, and what becomes of the session there."""

from __future__ import annotations

from dataclasses import dataclass

from gitsession.errors import Conflict
from gitsession.operations.homes import branches_of, home_of, new_branch
from gitsession.operations.names import next_branch
from gitsession.operations.natives import NativeRecord, bound_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


@dataclass(frozen=True, slots=True)
class Destination:
    """`branch` is `<session>/<branch>`; `creates` means that it does not exist yet. `moved` is the
    native session that is moved off the branch (taken over), `moved_to` the branch made for it."""

    branch: str
    creates: bool
    moved: NativeRecord | None = None
    moved_to: str = ""


def choose(
    workspace: Workspace, found: Resolved, commit: str, *, name: str = "", take_over: bool = False
) -> Destination:
    """Return the branch for a checkout of `commit`, which `found` named. Raises Conflict,
    UsageError.

    A given name creates a new branch. Otherwise, the tip of a branch that no session here continues
    is continued on that branch; anything else becomes `<branch>-2`, `-3` …
    """
    session, branch = home_of(workspace, found)
    taken = branches_of(workspace, session)
    if name:
        return Destination(new_branch(session, name, taken), True)
    full = f"{session}/{branch}"
    if branch not in taken:  # a remote's branch that does not exist here yet
        return Destination(full, True)
    at_tip = taken[branch] == commit
    if take_over and not at_tip:
        raise Conflict(
            f"only the tip of {full} can be continued on that branch",
            hint="without --continue, the checkout creates a new branch",
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
