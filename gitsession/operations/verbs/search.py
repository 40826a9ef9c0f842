"""The verb of Repository that searches past messages: a straight line, as there."""

from __future__ import annotations

from gitsession import operations as work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitsession.model.search import SearchAnswer
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


class SearchVerbs:
    """Queries are not written anywhere."""

    _workspace: Workspace

    def resolve(self, revision: str = "HEAD", *, whole: bool = False) -> Resolved:
        """Return the one version that a revision means."""
        raise NotImplementedError

    def head(self) -> str:
        """Return this directory's HEAD: `<session>/<branch>`, or an id."""
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
        """Return the messages of this project's sessions (or of `project`'s, of all, or of one
        session) that contain every word and phrase, best first: as written, by word stems, as parts
        of words of three letters or more; if one occurs nowhere, with a few letters changed.

        A text with spaces is a phrase, and double quotes in a text mark phrases; `exact` takes the
        texts literally. `since` and `until` are unix seconds; `limit` 0 means all. The first search
        reads what is stored into an index in the user's cache folder. Raises UsageError, NotFound.
        """
        verb = work.search
        place = None if everything else work.projects.Place(self._workspace, project)
        current = "" if project else self.head().partition("/")[0]
        found = self.resolve(session, whole=True) if session else None
        named = verb.session_name(self._workspace, found) if found else ""
        scope = verb.Scope(place, current, named, agent)
        filters = verb.Filters(role, tool, since, until)
        return verb.search(
            self._workspace, texts, scope, filters, exact=exact, limit=limit, progress=progress
        )
