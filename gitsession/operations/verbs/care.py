"""The verbs of Repository that look after the store: each one a straight line, as there."""

from __future__ import annotations

from gitsession import operations as work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsession.model.care import GcDone, GcPlan, Keep, Usage
    from gitsession.model.history import Version
    from gitsession.model.report import Operation, Problem
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


class CareVerbs:
    """`plan_gc` reads and writes nothing; `gc` does what the plan says."""

    _workspace: Workspace

    def resolve(self, revision: str = "HEAD", *, whole: bool = False) -> Resolved:
        """Return the one version that a revision means."""
        raise NotImplementedError

    def undo(self, operation: int = 0, *, force: bool = False) -> Operation:
        """Undo a person's last command in this directory, or any operation by its number."""
        return work.undo.undo(self._workspace, operation, force=force)

    def redo(self) -> Operation:
        """Take back the last undo."""
        return work.undo.redo(self._workspace)

    def oplog(self, limit: int = 0) -> Sequence[Operation]:
        """Return the operations, newest first."""
        return work.undo.oplog(self._workspace, limit)

    def held(self, operation: int = 0) -> Sequence[str]:
        """Return the refs that keep what an operation (default: the last) removed, until a gc
        releases them."""
        return work.undo.held(self._workspace, operation)

    def fsck(self, *, secrets: bool = False) -> Sequence[Problem]:
        """Return everything that is wrong with the store, with `secrets` also what today's rules
        find unmasked; changes nothing."""
        return work.check.check(self._workspace, secrets)

    def repair(self) -> Sequence[str]:
        """Set aside what is damaged, write again what the agents still have, and leave out what
        stays lost; return what was done, in sentences."""
        return work.repair.repair(self._workspace)

    def good(self, revision: str = "HEAD") -> Resolved:
        """Return what a revision means, or the last good version before it on the same branch."""
        return work.fallback.resolved(self._workspace, revision)

    def last_good(self, revision: str = "HEAD") -> tuple[Version, str]:
        """Return the version, or the nearest whole one before it, and the former's damage."""
        return work.fallback.last_good(self._workspace, revision)

    def check_session(self, revision: str = "HEAD") -> Sequence[Problem]:
        """Return what is wrong with the conversation of one version; changes nothing."""
        return work.check_session.check(self._workspace, self.resolve(revision, whole=True))

    def repair_session(self, revision: str = "HEAD") -> Version:
        """Return a new version with all possible repairs; the old one stays as its parent."""
        return work.check_session.repair(self._workspace, self.resolve(revision, whole=True))

    def plan_gc(self, keep: Keep | None = None, *, pushed: bool = False) -> GcPlan:
        """Return which versions would go and why the others stay, what undo would lose, and the
        room freed."""
        return work.gc.plan(self._workspace, keep or work.gc.Keep(), pushed)

    def gc(self, keep: Keep | None = None, *, pushed: bool = False) -> GcDone:
        """Thin as asked, release what undo held, pack, and drop for good what nothing needs."""
        return work.gc.run(self._workspace, keep or work.gc.Keep(), pushed)

    def du(self) -> Usage:
        """Return what each session takes on disk, alone and shared, and how much gc could free."""
        return work.du.usage(self._workspace)
