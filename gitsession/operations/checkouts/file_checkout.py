"""checkout --files: return the conversation and the project's files to a version.

First examine the files and back them up, then do the conversation's own checkout (whose entry in
the operation log names the backup), then write the files; after a kill at any point, `undo` can
take back what was done.
"""

from __future__ import annotations

import os
from dataclasses import replace

from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, WIP
from gitsession.model.report import Checkout, FilesDone, FileStep
from gitsession.operations import homes, projects, show
from gitsession.operations.checkouts import checkout
from gitsession.operations.folder import CAN_HOLD, Folder
from gitsession.operations.project_files import backups, file_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.checkouts.checkout import Wishes
    from gitsession.operations.project_files.file_plan import Plan
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


_BRANCHES = 8
"""How many of a session's branches, the newest, are searched for what they know of a file."""


def run(
    workspace: Workspace,
    found: Resolved,
    wishes: Wishes,
    saved_first: tuple[str, ...] = (),
    *,
    force: bool = False,
) -> Checkout:
    """Do both checkouts as one operation; `force` overwrites files that were edited since.

    Raises what `checkout` raises, and Conflict for files that were edited since, for another
    project's files, and for somebody else's session; then nothing is changed.
    """
    root = root_of(workspace, found, wishes)
    with _open(root) as folder:
        plan = look(workspace, found, folder, force=force)
        if plan.edited and not wishes.dry_run:
            raise Conflict(
                "files were changed since the session last knew them; nothing was changed",
                hint="--dry-run shows what would be done; --force overwrites them, after a backup",
                candidates=file_plan.refusal(plan.edited),
            )
        steps = _shown(plan)
        done = FilesDone(root, steps, unknown=_unknown(workspace, found, steps))
        if wishes.dry_run or not plan.writes:
            return replace(checkout.checkout(workspace, found, wishes, saved_first), files=done)
        backup = backups.make(workspace, root, plan.writes)
        answer = _checkout(workspace, found, replace(wishes, backup=backup), saved_first)
        left = dict(backups.write(folder, plan.writes))
    backups.leave_out(workspace.environment, backup, left)
    steps = tuple(_left(step, left) for step in steps)
    place = os.path.join(backups.folder(workspace.environment), backup)
    return replace(answer, files=replace(done, steps=steps, backup=place))


def _checkout(
    workspace: Workspace, found: Resolved, wishes: Wishes, saved_first: tuple[str, ...]
) -> Checkout:
    """Do the conversation's checkout; if that leaves no log entry, drop the backup: nothing is to
    be undone."""
    try:
        return checkout.checkout(workspace, found, wishes, saved_first)
    except BaseException:
        newest = next(iter(workspace.store.operations()), None)
        if newest is None or newest.details.get("files") != wishes.backup:
            backups.drop(workspace.environment, wishes.backup)
        raise


def _shown(plan: Plan) -> tuple[FileStep, ...]:
    """Return all steps by path; a step that needs --force is shown as a skip."""
    edited = [
        replace(step, action="skip", reason=f"{step.reason}; --force overwrites it")
        for step in plan.edited
    ]
    return tuple(sorted((*plan.steps, *edited), key=lambda step: step.path))


def _left(step: FileStep, left: dict[str, str]) -> FileStep:
    return replace(step, action="skip", reason=left[step.path]) if step.path in left else step


def _open(root: str) -> Folder:
    if not CAN_HOLD:
        raise Conflict(
            "project files cannot be restored safely on this system",
            hint="leave --files out to roll back only the conversation",
        )
    try:
        return Folder(root)
    except OSError as error:
        raise NotFound(
            "the project's folder cannot be opened", hint="--project DIR names it"
        ) from error


def root_of(workspace: Workspace, found: Resolved, wishes: Wishes) -> str:
    """Return the folder whose files are meant. Raises Conflict if it is not this project's."""
    if not wishes.trust and not workspace.store.is_own(found.commit):
        raise Conflict(
            "that session was made by somebody else; its files are not written into your project",
            hint="`gitsession diff` shows them; --trust writes them anyway",
        )
    if wishes.project:
        return wishes.project
    trailers = workspace.store.version(found.commit).trailers
    session = found.branch.partition("/")[0]
    root = projects.folder_of(workspace, projects.project_of(workspace, session, trailers))
    if not root:
        raise Conflict(
            "that session belongs to another project",
            hint="name the folder to restore with --project DIR",
        )
    return root


def look(workspace: Workspace, found: Resolved, folder: Folder, *, force: bool = False) -> Plan:
    """Return what would be done, starting from the last versions known here."""
    if found.message:
        raise Conflict(
            "files are only known at the end of a turn, not after a message",
            hint="leave :N or --files out",
        )
    target = show.files_of(workspace, found.commit)
    known = [show.files_of(workspace, commit) for commit in known_here(workspace, found)]
    return file_plan.plan(target, known, folder, workspace.names, force=force)


_NONE = "that version has no project files: only the conversation was recorded"


def _unknown(workspace: Workspace, found: Resolved, steps: tuple[FileStep, ...]) -> str:
    """Say in words what neither the version nor the newest one of its branch can know."""
    target = show.files_of(workspace, found.commit)
    if not steps and not target.files and not target.info.changed_from:
        return _NONE
    newest = known_here(workspace, found, others=False)[-1]
    if newest == found.commit:
        return ""
    return file_plan.unknown(
        show.session_of(workspace, found.commit), show.session_of(workspace, newest)
    )


def known_here(workspace: Workspace, found: Resolved, *, others: bool = True) -> list[str]:
    """Return the newest states of three kinds of branches: the one this directory is on, the
    version's own, and the session's `others`; only those of the same folder as the version."""
    store = workspace.store
    own = "/".join(homes.home_of(workspace, found))
    branches = [store.head(workspace.directory), own]
    if others:
        tips = store.tips(f"{HEADS}{own.partition('/')[0]}/")
        tips.sort(key=lambda tip: tip.time, reverse=True)
        branches += [tip.ref.removeprefix(HEADS) for tip in tips[:_BRANCHES]]
    commits = []
    for branch in dict.fromkeys(branches):
        commit = store.ref(WIP + branch) or store.ref(HEADS + branch) if "/" in branch else ""
        if commit and _folder(workspace, commit) == _folder(workspace, found.commit):
            commits.append(commit)
    return list(dict.fromkeys(commits)) or [found.commit]


def _folder(workspace: Workspace, commit: str) -> str:
    """Return the part of a project that a version's paths are relative to."""
    project = workspace.store.version(commit).trailers.get("Project", "")
    return project.split(":", 3)[2] if project.startswith("git:") else project
