"""The verbs of Repository about what slipped through and what others would see: each one straight
line, as there."""

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
    """`plan_…` reads and writes nothing; what it answers goes into the verb that does it."""

    _workspace: Workspace

    def version(self, revision: str = "HEAD") -> Version:
        """The version that a text means."""
        raise NotImplementedError

    def scan(
        self, paths: Sequence[str] = (), *, everything: bool = False, audit: bool = False
    ) -> Sequence[Any]:
        """Findings in files, in this directory's sources, or in the whole store."""
        return work.scan.scan(self._workspace, tuple(paths), everything, audit)

    def pre_push(self, remote: str, lines: Iterable[str]) -> Sequence[tuple[str, str, str]]:
        """What refuses a push by git itself: rows of version, place, placeholder."""
        return list(work.pre_push.findings(self._workspace, remote, lines))

    def review(self, revision: str = "HEAD", words: Sequence[str] = ()) -> Review:
        """Secrets and private data that a share of one version would show."""
        return work.review.review(self._workspace, self.version(revision), words)

    def plan_scrub(self, value: str) -> tuple[Mapping[bytes, str], ScrubPlan]:
        """What a scrub of a value (or of a placeholder that `scan` named) would take out, where."""
        work.scrub.refuse_inside_agent(self._workspace.environment)
        values = work.scrub.named(self._workspace, work.scrub.value_from(self._workspace, value))
        return values, work.scrub.plan(self._workspace, values)

    def scrub(self, values: Mapping[bytes, str]) -> Scrubbed:
        """Take values out of everything stored, for good. Cannot be undone."""
        return work.scrub.scrub(self._workspace, values)

    def plan_rewrite(self) -> tuple[Mapping[bytes, str], ScrubPlan]:
        """What today's rules would take out of versions that are stored already, where."""
        values = work.scrub.missed_values(self._workspace)
        return values, work.scrub.plan(self._workspace, values)

    def rewrite(self, values: Mapping[bytes, str]) -> Scrubbed:
        """The same as `scrub`, for values that the rules know by themselves from now on."""
        return work.scrub.scrub(self._workspace, values, deny=False, verb="rewrite")
