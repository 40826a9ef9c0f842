"""Where a save leaves the HEAD of a working directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsession.agents.base import Source
    from gitsession.operations.grow import Grown
    from gitsession.operations.line import Line
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
    """A save by hand moves the directory's HEAD to what it saved.

    HEAD names a branch, so it goes forward with that branch by itself. An automatic save takes it
    to another branch only for a native session that is new to the store, first seen after a
    person last set HEAD, and not made by a checkout.
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


def _free(workspace: Workspace, directory: str, source: Source, line: Line) -> bool:
    """Whether an automatic save may set this HEAD: see `follow`."""
    records = workspace.store.records
    head = records.read("heads", records.directory(directory))
    if head is None:
        return True
    person = head.get("person")
    newer = source.mtime // 1_000_000_000 >= (person if isinstance(person, int) else 0)
    return newer and not line.branch and not line.native
