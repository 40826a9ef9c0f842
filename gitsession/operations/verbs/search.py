"""The verb of Repository that finds past messages: a straight line, as there."""

from __future__ import annotations

from gitsession import operations as work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitsession.model.search import SearchAnswer
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


class SearchVerbs:
    """What is asked for is written nowhere."""

    _workspace: Workspace

    def resolve(self, revision: str = "HEAD") -> Resolved:
        """The one version that a text means."""
        raise NotImplementedError

    def head(self) -> str:
        """`<session>/<branch>` (or an id) that this directory stands at."""
        raise NotImplementedError

    def search(
        self,
        *texts: str,
        everything: bool = False,
        project: str = "",
        session: str = "",
        agent: str = "",
        role: str = "",
        tool: str = "",
        since: int = 0,
        until: int = 0,
        exact: bool = False,
        limit: int = 20,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> SearchAnswer:
        """The messages of this project's sessions (or of `project`'s, of all, of one session) that
        hold every word and phrase, the best first: as written, by the stems of words, as parts of
        words of three letters and more; where one stands nowhere, with a few letters changed.

        A text with spaces is a phrase, double quotes in one mark phrases; `exact` takes the texts
        letter by letter. `since` and `until` are unix seconds; `limit` 0 is all. The first search
        reads what is stored into an index in the user's cache folder. Raises UsageError, NotFound.
        """
        verb = work.search
        place = None if everything else work.projects.Place(self._workspace, project)
        current = "" if project else self.head().partition("/")[0]
        named = verb.session_name(self._workspace, self.resolve(session)) if session else ""
        scope = verb.Scope(place, current, named, agent)
        filters = verb.Filters(role, tool, since, until)
        return verb.search(
            self._workspace, texts, scope, filters, exact=exact, limit=limit, progress=progress
        )
