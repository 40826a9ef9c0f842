"""search: which sessions are searched, and the messages in them that match."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence

from gitsession.agents import registry
from gitsession.errors import UsageError, did_you_mean
from gitsession.model.history import HEADS, REMOTES
from gitsession.model.search import ROLES, Hit, SearchAnswer
from gitsession.operations import homes, projects, show
from gitsession.operations.reading import listing
from gitsession.operations.searching import search_index
from gitsession.operations.searching.search_index import Line
from gitsession.search import query
from gitsession.search.answering import Answer, Found, answer
from gitsession.search.lookup import Filters as Filters
from gitsession.search.snippet import snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.model.history import Tip
    from gitsession.model.listed import SessionRow
    from gitsession.operations.searching.search_index import Progress
    from gitsession.operations.workspace import Workspace
    from gitsession.search.index import Index
    from gitsession.store.revisions import Resolved

    class Scope(NamedTuple):
        place: projects.Place | None
        current: str = ""
        session: str = ""
        agent: str = ""

    class _Asked(NamedTuple):
        wanted: Sequence[query.Wanted]
        scope: Scope
        filters: Filters
        limit: int
else:
    _Asked = namedtuple("_Asked", "wanted scope filters limit")
    Scope = namedtuple("Scope", "place current session agent", defaults=("", "", ""))
    Scope.__doc__ = """Which sessions: those of a `place` (None: of every project) and the
    `current` one; or one `session` alone; optionally only those of one `agent`."""


def search(
    workspace: Workspace,
    said: Sequence[str],
    scope: Scope,
    filters: Filters,
    *,
    exact: bool = False,
    limit: int = 0,
    progress: Progress | None = None,
) -> SearchAnswer:
    """Return the messages that contain every one of the words and phrases; raises UsageError."""
    if filters.role and filters.role not in ROLES:
        raise UsageError("there is no such role", hint=f"one of {', '.join(ROLES)}")
    wanted = query.parse(said, exact=exact)
    asked = _Asked(wanted, scope, filters, limit)
    return search_index.with_index(
        workspace, lambda index: _answered(workspace, index, asked, progress)
    )


def _answered(
    workspace: Workspace, index: Index, asked: _Asked, progress: Progress | None
) -> SearchAnswer:
    sessions = _Sessions(workspace)
    if asked.scope.agent and all(row.agent != asked.scope.agent for row in sessions.rows):
        registry.get(asked.scope.agent)  # raises if there is no such agent
    rows = {row.session: row for row in sessions.meant(asked.scope)}
    lines = [line for line in map(sessions.line, rows.values()) if line.tips]
    notes = search_index.bring_up(workspace, index, lines, sessions.exists, progress)
    titles = {line.session: line.title for line in lines}
    got = answer(index, asked.wanted, titles, asked.filters, asked.limit)
    hits = [_title(row, got, sessions) for row in _titled(got, rows, asked.filters)]
    total = got.total + len(hits)
    hits += [_hit(one, rows[one.session], sessions) for one in got.found]
    notes += _hidden(len(rows) - len(lines)) + ([] if index.full else [_READING])
    if asked.filters.tool and not got.total:
        notes += _no_such_tool(index, asked.filters.tool)
    first = tuple(hits[: asked.limit or None])
    return SearchAnswer(first, total, len(lines), got.corrected, tuple(notes))


def _no_such_tool(index: Index, name: str) -> list[str]:
    """Return a note if no tool call read so far is of a tool with that name."""
    known = index.tools()
    if not known or name.lower() in map(str.lower, known):
        return []
    listed = ", ".join(known[:_TOOLS_NAMED])
    return [f"no tool is called {name}; {did_you_mean(name, known)}there are: {listed}"]


def session_name(workspace: Workspace, found: Resolved) -> str:
    """Return the session that a revision names, also a fetched one, or that contains a version
    named by its id or a tag. Raises NotFound."""
    return homes.home_of(workspace, found)[0]


_TOOLS_NAMED = 30
_READING = "this Python's SQLite has no full text search: every text was read, which is slower"


def _hidden(number: int) -> list[str]:
    if not number:
        return []
    return [f"not searched: {number} fetched with secrets (gitsession fsck names them)"]


class _Sessions:
    """All sessions of the store as `list` has them, and fetched ones that have no branch here."""

    def __init__(self, workspace: Workspace) -> None:
        store = workspace.store
        self._workspace = workspace
        self._tips: dict[str, list[Tip]] = {}
        self._marked = bool(store.records.names("marked"))
        self._shown: dict[str, bool] = {}
        own = store.tips(HEADS)
        for tip in own:
            self._tips.setdefault(tip.ref.removeprefix(HEADS).partition("/")[0], []).append(tip)
        begun = set(self._tips)
        fetched = store.tips(REMOTES) if store.refs(REMOTES) else []
        theirs: list[Tip] = []
        for tip in fetched:
            _, _, branch = tip.ref.removeprefix(REMOTES).partition("/")
            session, slash, _ = branch.partition("/")
            if not slash:  # the server's README
                continue
            self._tips.setdefault(session, []).append(tip)
            if session not in begun:
                theirs.append(tip._replace(ref=HEADS + branch))
        records = store.records
        self.rows = listing.session_rows(
            [*own, *theirs],
            titles={name: str(row.get("title", "")) for name, row in records.items("titles")},
            archived=set(records.names("archived")),
            linked=projects.by_hand(workspace),
        )

    def exists(self, session: str) -> bool:
        """Whether any part of the session may be searched."""
        return any(self._may_be_shown(tip) for tip in self._tips.get(session, ()))

    def _may_be_shown(self, tip: Tip) -> bool:
        if not self._marked:
            return True
        if tip.id not in self._shown:
            self._shown[tip.id] = not show.is_suspect(self._workspace, tip.id)
        return self._shown[tip.id]

    def meant(self, scope: Scope) -> list[SessionRow]:
        """Return the rows to search, newest first."""
        rows = [row for row in self.rows if not scope.agent or row.agent == scope.agent]
        if scope.session:
            return [row for row in rows if row.session == scope.session]
        if scope.place is None:
            return rows
        belongs = scope.place.among(row.project for row in self.rows)
        return [row for row in rows if row.session == scope.current or belongs(row.project)]

    def line(self, row: SessionRow) -> Line:
        """Return the session with the tips of its branches, `main` first, without those with which
        a fetch brought secrets."""
        tips = sorted(self._tips[row.session], key=_order)
        shown = [tip for tip in tips if self._may_be_shown(tip)]
        once = {tip.id: tip for tip in reversed(shown)}
        return Line(row.session, row.title, tuple(tip for tip in shown if once[tip.id] is tip))

    def branch(self, session: str, commit: str) -> str:
        """Return the branch whose tip this version is, else the session's first branch."""
        tips = sorted(self._tips[session], key=_order)
        named = next((tip for tip in tips if tip.id == commit), tips[0])
        return named.ref.removeprefix(HEADS).removeprefix(REMOTES)


def _order(tip: Tip) -> tuple[bool, bool, str]:
    return not tip.ref.startswith(HEADS), not tip.ref.endswith("/main"), tip.ref


def _titled(got: Answer, rows: Mapping[str, SessionRow], filters: Filters) -> Iterator[SessionRow]:
    """Yield the sessions in which only the title matches, within the requested time span."""
    for row in map(rows.__getitem__, got.titled):
        if filters.since <= row.time <= (filters.until or row.time):
            yield row


def _hit(found: Found, row: SessionRow, sessions: _Sessions) -> Hit:
    return Hit(
        session=row.session, branch=sessions.branch(row.session, found.point), title=row.title,
        agent=row.agent, project=row.project, version=found.version, message=found.number,
        role=found.role, tool=found.tool, time=found.time, text=found.text, marks=found.marks,
        foreign=not found.own, archived=row.archived, stream=found.stream,
    )  # fmt: skip


def _title(row: SessionRow, got: Answer, sessions: _Sessions) -> Hit:
    text, marks = snippet(row.title, got.wanted)
    return Hit(
        session=row.session, branch=sessions.branch(row.session, row.head), title=row.title,
        agent=row.agent, project=row.project, version=row.head, message=0, role="title", tool="",
        time=row.time, text=text, marks=marks, archived=row.archived,
    )  # fmt: skip
