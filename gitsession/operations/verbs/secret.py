"""The verbs of Repository about secrets that were missed and what others would see: each one a
straight line, as there."""

from __future__ import annotations

from gitsession import operations as work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gitsession.model.history import Version
    from gitsession.model.report import Scrubbed, ScrubPlan
    from gitsession.operations.sharing.review import Review
    from gitsession.operations.workspace import Workspace


class SecretVerbs:
    """`plan_…` reads and writes nothing; the verb that acts takes what it returns."""

    _workspace: Workspace

    def version(self, revision: str = "HEAD") -> Version:
        """Return the version that a revision means."""
        raise NotImplementedError

    def scan(
        self, paths: Sequence[str] = (), *, everything: bool = False, audit: bool = False
    ) -> Sequence[Any]:
        """Return findings in files, in this directory's sources, or in the whole store."""
        return work.scan.scan(self._workspace, tuple(paths), everything, audit)

    def pre_push(self, remote: str, lines: Iterable[str]) -> Sequence[tuple[str, str, str]]:
        """Return what blocks a push by git itself: rows of version, place, placeholder."""
        return list(work.pre_push.findings(self._workspace, remote, lines))

    def review(self, revision: str = "HEAD", words: Sequence[str] = ()) -> Review:
        """Return secrets and private data that sharing one version would show."""
        return work.review.review(self._workspace, self.version(revision), words)

    def plan_scrub(self, value: str) -> tuple[Mapping[bytes, str], ScrubPlan]:
        """Return what a scrub of a value (or of a placeholder that `scan` named) would remove, and
        where."""
        work.scrub.refuse_inside_agent(self._workspace.environment)
        values = work.scrub.named(self._workspace, work.scrub.value_from(self._workspace, value))
        return values, work.scrub.plan(self._workspace, values)

    def scrub(self, values: Mapping[bytes, str]) -> Scrubbed:
        """Remove values from everything stored, for good. Cannot be undone."""
        return work.scrub.scrub(self._workspace, values)

    def plan_rewrite(self) -> tuple[Mapping[bytes, str], ScrubPlan]:
        """Return what today's rules would remove from versions already stored, and where."""
        values = work.scrub.missed_values(self._workspace)
        return values, work.scrub.plan(self._workspace, values)

    def rewrite(self, values: Mapping[bytes, str]) -> Scrubbed:
        """Do the same as `scrub`, for values that the rules find by themselves from now on."""
        return work.scrub.scrub(self._workspace, values, deny=False, verb="rewrite")
