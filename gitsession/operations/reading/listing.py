"""The rows of `list`: sessions from refs and commit trailers alone, without reading any body."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from gitsession.errors import GitSessionError
from gitsession.model.history import HEADS, WIP, Tip
from gitsession.model.listed import SessionRow
from gitsession.operations import projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace


def rows(
    workspace: Workspace,
    *,
    place: projects.Place | None,
    current: str,
    agent: str,
    search: str,
    limit: int,
    archived: bool,
    open_only: bool,
) -> tuple[SessionRow, ...]:
    """Return what `list` shows, remembered for this directory so that `@1` names its first row."""
    store = workspace.store
    titles = {name: str(record.get("title", "")) for name, record in store.records.items("titles")}
    tips = store.tips(HEADS, lost=True)
    working = store.tips(WIP) if store.refs(WIP) else []
    linked = projects.by_hand(workspace)
    grouped = _grouped([*tips, *_begun(tips, working)])
    belongs = None
    if place:  # most sessions are of other projects, and need no row
        of = {session: _project(session, each, linked) for session, each in grouped.items()}
        belongs = place.among(of.values())
        here = {project for project in set(of.values()) if belongs(project)}
        grouped = {
            session: branches
            for session, branches in grouped.items()
            if session == current or of[session] in here or not _is_readable(branches)
        }
    everything = session_rows(
        [tip for branches in grouped.values() for tip in branches],
        titles=titles,
        archived=set(store.records.names("archived")),
        unfinished=_unfinished(tips, working),
        linked=linked,
    )
    chosen = select(
        everything, belongs=belongs, current=current, agent=agent, search=search, archived=archived,
        open_only=open_only, limit=limit,
    )  # fmt: skip
    _number_rows(workspace, chosen)
    return tuple(row._replace(folder=_folder(workspace, row)) for row in chosen)


def _folder(workspace: Workspace, row: SessionRow) -> str:
    """Return the folder of a project that is identified by its code repository, as the last save on
    this machine recorded it; "" if another machine made the session."""
    if not row.project.startswith("git:") or not row.branches:
        return ""
    state = workspace.store.records.read("state", f"{row.session}/{row.branches[0]}")
    known = (state or {}).get("head")
    session = known.get("session") if isinstance(known, dict) else None
    return str(session.get("cwd", "")) if isinstance(session, dict) else ""


def _number_rows(workspace: Workspace, rows: Iterable[SessionRow]) -> None:
    """Record what `@1` means now. A store that cannot be written to can still be listed; then no
    number means anything, rather than what it meant in an older list."""
    records = workspace.store.records
    name = records.directory(workspace.directory)
    try:
        records.write("listed", name, {"rows": [row.session for row in rows]})
    except GitSessionError:
        records.remove("listed", name)


def _unfinished(tips: Iterable[Tip], working: Iterable[Tip]) -> set[str]:
    """Return the sessions in the middle of a turn: their wip holds messages that no version has
    yet. Agents write rows of their own after an answer; these alone make no turn."""
    begun = {tip.ref.removeprefix(WIP): _number(tip.trailers, "Messages") for tip in working}
    saved = {
        name: _number(tip.trailers, "Messages")
        for tip in tips
        if (name := tip.ref.removeprefix(HEADS)) in begun
    }
    return {name.partition("/")[0] for name, count in begun.items() if count > saved.get(name, 0)}


def _begun(tips: Iterable[Tip], working: Iterable[Tip]) -> list[Tip]:
    """Return sessions in their very first turn, as the branches that they will become."""
    known = {_session(tip.ref.removeprefix(HEADS)) for tip in tips}
    return [
        tip._replace(ref=HEADS + tip.ref.removeprefix(WIP))
        for tip in working
        if _session(tip.ref.removeprefix(WIP)) not in known
    ]


def _session(branch: str) -> str:
    return branch.partition("/")[0]


def session_rows(
    tips: Iterable[Tip],
    *,
    titles: Mapping[str, str],
    archived: Container[str] = (),
    unfinished: Container[str] = (),
    linked: Mapping[str, str] | None = None,
) -> list[SessionRow]:
    """Return one row per session, newest first, numbered from 1.

    `titles` holds those that a person gave (`rename`), by session, `linked` likewise projects;
    `unfinished` names sessions with a saved open turn (wip). A tip without trailers gives a row
    marked as not readable.
    """
    rows = [
        _row(session, branches, titles.get(session, ""), session in archived, session in unfinished)
        for session, branches in _grouped(tips).items()
    ]
    rows = [row._replace(project=(linked or {}).get(row.session, row.project)) for row in rows]
    rows.sort(key=lambda row: (-row.time, row.session))
    return [row._replace(row=number) for number, row in enumerate(rows, 1)]


def _grouped(tips: Iterable[Tip]) -> dict[str, list[Tip]]:
    """Return the branches of each session."""
    grouped: dict[str, list[Tip]] = {}
    for tip in tips:
        session = tip.ref.removeprefix(HEADS).partition("/")[0]
        grouped.setdefault(session, []).append(tip)
    return grouped


def _newest(tips: list[Tip]) -> Tip:
    return tips[0] if len(tips) == 1 else max(tips, key=lambda tip: (tip.time, tip.ref))


def _project(session: str, tips: list[Tip], linked: Mapping[str, str]) -> str:
    return linked.get(session, _newest(tips).trailers.get("Project", ""))


def _is_readable(tips: list[Tip]) -> bool:
    return "Session" in _newest(tips).trailers


def _row(session: str, tips: list[Tip], title: str, archived: bool, unfinished: bool) -> SessionRow:
    newest = _newest(tips)
    trailers = newest.trailers
    agent, _, native_id = (trailers.get("Native") or trailers.get("Session", "")).partition("/")
    branches = sorted((tip.ref.partition(f"/{session}/")[2] for tip in tips), key=_main_first)
    return SessionRow(
        row=0,
        session=session,
        title=title or trailers.get("Title", ""),
        prompt=newest.subject,
        agent=agent,
        native_id=native_id,
        project=trailers.get("Project", ""),
        branches=tuple(branches),
        versions=max(_number(tip.trailers, "Version") for tip in tips),
        messages=_number(trailers, "Messages"),
        size=_number(trailers, "Bytes"),
        time=newest.time,
        head=newest.id,
        archived=archived,
        open=unfinished or trailers.get("Kind") == "open",
        readable="Session" in trailers,
        compactions=_number(trailers, "Compactions"),
    )


def _main_first(branch: str) -> tuple[bool, str]:
    return branch != "main", branch


def _number(trailers: Mapping[str, str], name: str) -> int:
    text = trailers.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def select(
    rows: Iterable[SessionRow],
    *,
    belongs: Callable[[str], bool] | None = None,
    current: str = "",
    agent: str = "",
    search: str = "",
    archived: bool = False,
    open_only: bool = False,
    limit: int = 0,
) -> tuple[SessionRow, ...]:
    """Return the rows that were asked for, renumbered. `belongs` decides by the project's id; a
    session that is not readable has none and is shown everywhere, and `current` is shown whatever
    its project. Archived sessions are left out unless asked for, and then only they are shown."""
    wanted = search.casefold()
    chosen = [
        row
        for row in rows
        if row.archived == archived
        and (belongs is None or not row.readable or row.session == current or belongs(row.project))
        and (not agent or row.agent == agent)
        and (not open_only or row.open)
        and (not wanted or wanted in row.title.casefold())
    ]
    chosen = chosen[:limit] if limit > 0 else chosen
    return tuple(row._replace(row=number) for number, row in enumerate(chosen, 1))
