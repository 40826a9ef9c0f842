"""The verbs of Repository that look after the store: each one straight line, as there."""

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
    """`plan_gc` reads and writes nothing; `gc` does what it says."""

    _workspace: Workspace

    def resolve(self, revision: str = "HEAD") -> Resolved:
        """The one version that a text means."""
        raise NotImplementedError

    def undo(self, operation: int = 0, *, force: bool = False) -> Operation:
        """Take the last command of a person here back, or any."""
        return work.undo.undo(self._workspace, operation, force=force)

    def redo(self) -> Operation:
        """Take the last undo back."""
        return work.undo.redo(self._workspace)

    def oplog(self, limit: int = 0) -> Sequence[Operation]:
        """The operations, newest first."""
        return work.undo.oplog(self._workspace, limit)

    def held(self, operation: int = 0) -> Sequence[str]:
        """Refs that hold what an operation (the last one) took away, until gc releases them."""
        return work.undo.held(self._workspace, operation)

    def fsck(self, *, secrets: bool = False) -> Sequence[Problem]:
        """Everything that is wrong with the store, with `secrets` also what today's rules find in
        the open; changes nothing."""
        return work.check.check(self._workspace, secrets)

    def repair(self) -> Sequence[str]:
        """Set aside what is damaged, write again what the agents still have, leave out what stays
        lost; what was done, in sentences."""
        return work.repair.repair(self._workspace)

    def good(self, revision: str = "HEAD") -> Resolved:
        """What a text means, or the last good version before it on the same branch."""
        return work.fallback.resolved(self._workspace, revision)

    def last_good(self, revision: str = "HEAD") -> tuple[Version, str]:
        """The version, or the nearest whole one before it, and what is wrong with the former."""
        return work.fallback.last_good(self._workspace, revision)

    def check_session(self, revision: str = "HEAD") -> Sequence[Problem]:
        """What is wrong with the conversation of one version; changes nothing."""
        return work.check_session.check(self._workspace, self.resolve(revision))

    def repair_session(self, revision: str = "HEAD") -> Version:
        """A new version in which what can be mended is; the old one stays before it."""
        return work.check_session.repair(self._workspace, self.resolve(revision))

    def plan_gc(self, keep: Keep | None = None, *, pushed: bool = False) -> GcPlan:
        """Which versions would go and why the others stay, what undo would lose, what is won."""
        return work.gc.plan(self._workspace, keep or work.gc.Keep(), pushed)

    def gc(self, keep: Keep | None = None, *, pushed: bool = False) -> GcDone:
        """Thin as asked, release what undo held, pack, and drop what nothing needs, for good."""
        return work.gc.run(self._workspace, keep or work.gc.Keep(), pushed)

    def du(self) -> Usage:
        """What each session takes on disk, alone and with others, and what could be won."""
        return work.du.usage(self._workspace)
