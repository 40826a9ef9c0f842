"""Where a save leaves the HEAD of a working directory."""

from __future__ import annotations

from gitsession.model.history import HEADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsession.agents.base import Source
    from gitsession.model.report import Saved
    from gitsession.operations.saving.grown import Grown
    from gitsession.operations.saving.line import Line
    from gitsession.operations.workspace import Workspace
    from gitsession.store.transaction import Transaction


def follow(
    workspace: Workspace,
    change: Transaction,
    source: Source,
    line: Line,
    grown: Grown,
    automatic: bool,
) -> None:
    """Move the directory's HEAD to what a save by hand saved.

    HEAD names a branch, so it advances with that branch by itself. An automatic save takes it to
    another branch only for a native session that is new to the store, first seen after a person
    last set HEAD, and not made by a checkout.
    """
    if not grown.tip:
        return
    directory = (grown.last.info.cwd if grown.last else "") or source.cwd
    directory = (directory or workspace.directory) if automatic else workspace.directory
    if workspace.store.head(directory) == grown.branch:
        return
    if automatic and not _free(workspace, directory, source, line):
        return
    clean = workspace.names.clean
    change.head(directory, clean(grown.branch), clean(directory))


def settle(workspace: Workspace, saved: list[tuple[Source, Saved]]) -> None:
    """After a save of everything, give a directory without a HEAD its own newest session."""
    directory = workspace.directory
    if workspace.store.head(directory):
        return
    branch = next(_of_this_project(workspace, saved), "")
    if not branch:
        return
    clean = workspace.names.clean
    with workspace.store.transaction("save", directory, automatic=True) as change:
        change.head(directory, clean(branch), clean(directory))


def _of_this_project(workspace: Workspace, saved: list[tuple[Source, Saved]]) -> Iterator[str]:
    """Yield the branches just examined that belong to this project, newest source first."""
    from gitsession.operations.projects import project_of
    from gitsession.project import same_project

    here = workspace.project(workspace.directory).id
    for _, one in sorted(saved, key=lambda pair: pair[0].mtime, reverse=True):
        tip = workspace.store.ref(HEADS + one.branch) if one.branch else ""
        trailers = workspace.store.version(tip).trailers if tip else {}
        session = one.branch.partition("/")[0]
        if tip and same_project(here, project_of(workspace, session, trailers)):
            yield one.branch


def _free(workspace: Workspace, directory: str, source: Source, line: Line) -> bool:
    """Whether an automatic save may set this HEAD: see `follow`."""
    records = workspace.store.records
    head = records.read("heads", records.directory(directory))
    if head is None:
        return True
    person = head.get("person")
    newer = source.mtime // 1_000_000_000 >= (person if isinstance(person, int) else 0)
    return newer and not line.branch and not line.native
