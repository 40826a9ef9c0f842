"""The verbs of Repository about what a model gets to see: each one a straight line, as there."""

from __future__ import annotations

from gitsession import operations as work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gitsession.context.entry import Context
    from gitsession.model.history import Version
    from gitsession.operations.contexts.context_view import Answer, Fill
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


class ContextVerbs:
    """`view` has the fields of `operations.context_view.View`: budget, strategy, keys …"""

    _workspace: Workspace

    def resolve(self, revision: str = "HEAD", *, whole: bool = False) -> Resolved:
        """Return the one version that a revision means."""
        raise NotImplementedError

    def context(self, revision: str = "HEAD", **view: Any) -> Context:
        """Return the messages for a model within a budget, with a line about each of the
        session's."""
        views = work.context_view
        return views.context(self._workspace, self.resolve(revision), views.View(**view))

    def context_fill(self, revision: str = "HEAD", **view: Any) -> Fill:
        """Return how full the model was at the newest answer, and whether a compaction is due."""
        views = work.context_view
        return views.fill(self._workspace, self.resolve(revision), views.View(**view))

    def request(
        self, message: str, revision: str = "HEAD", format: str = "anthropic", **view: Any
    ) -> dict[str, Any]:
        """Return the request that continues with a new message, as JSON values for a provider."""
        wanted, found = work.context_view.View(**view), self.resolve(revision)
        return work.context_request.request(self._workspace, found, message, format, wanted)

    def diagnose(self, fact: str, revision: str = "HEAD", **view: Any) -> Answer:
        """Return why a model would not know a fact, or where the context states it."""
        views = work.context_view
        return views.diagnose(self._workspace, self.resolve(revision), fact, views.View(**view))

    def verify_facts(
        self, facts: Iterable[str], revision: str = "HEAD", **view: Any
    ) -> Sequence[str]:
        """Return those facts that the context does not state."""
        views, found = work.context_view, self.resolve(revision)
        return views.verify_facts(self._workspace, found, facts, views.View(**view))

    def compaction_due(self, revision: str = "HEAD", limit: int = 0) -> int:
        """Return the message at which input tokens since the last compaction reached the limit, 0
        if they have not."""
        return work.context_marks.due(self._workspace, self.resolve(revision), limit)

    def mark_context(self, verb: str, revision: str = "HEAD", **what: Any) -> Version | None:
        """Run `compact`, `uncompact`, `prune` or `unprune`: return a version that differs by that
        mark alone, None if there is nothing to mark."""
        return work.context_marks.VERBS[verb](self._workspace, self.resolve(revision), **what)
