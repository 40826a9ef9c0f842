"""events: what happened in a version, filtered as asked. Derived every time, nothing is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitsession import events as derived
from gitsession.errors import NotFound
from gitsession.events import keep, kinds, tasks
from gitsession.model.event_list import EventList
from gitsession.model.session import State
from gitsession.operations import homes, read_messages, show, sides
from gitsession.render import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.event import Event
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


@dataclass(frozen=True, slots=True)
class Asked:
    """Which events: of these types and categories (empty: any), of this priority or higher (0:
    any), not before `since` (unix seconds). `everything` includes repeats and what is beyond the
    thousand most important. `limit` is how many of the newest, 0 for all. `stream` selects that
    subagent's."""

    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    priority: int = 0
    since: int = 0
    everything: bool = False
    limit: int = 0
    stream: str = ""


def every(workspace: Workspace, found: Resolved, stream: str = "") -> EventList:
    """Return all events of a version (`REV:N`: up to message N), or of one subagent's `stream`."""
    return of_session(workspace, found, session_of(workspace, found, stream))


def of_session(workspace: Workspace, found: Resolved, session: Session) -> EventList:
    """Return all events of the session that a version holds."""
    with read_messages.unswept():
        events = derived.events(session)
    version = workspace.store.version(found.commit)
    times = [event.time for event in events if event.time]
    projects = (event.project for event in events if event.project)
    return EventList(
        session=name_of(workspace, found),
        agent=session.info.agent,
        native_id=session.info.native_id,
        version=version.id,
        time=words.iso(version.time),
        project=next(projects, session.info.cwd),
        started=times[0] if times else "",
        last=times[-1] if times else "",
        count=len(events),
        total=len(events),
        types=dict(sorted(Counter(event.type for event in events).items())),
        compactions=session.counts.compactions,
        tasks=_tasks(session, events),
        events=tuple(events),
    )


def _tasks(session: Session, events: Sequence[Event]) -> tuple[tuple[str, str], ...]:
    """Return what is still to be done, text and status: as the task tools recorded it, else as the
    agent keeps it next to the conversation."""
    if tasks.tasks(events):
        return tuple((task.text or f"#{task.id}", task.status) for task in tasks.open_tasks(events))
    todos = session.state.todos
    return tuple(
        (todo.text, todo.status) for todo in todos if todo.status.lower() not in tasks.CLOSED
    )


def chosen(workspace: Workspace, found: Resolved, asked: Asked) -> EventList:
    """Return the events of a version that were asked for. Raises UsageError for an unknown type or
    category."""
    kinds.check(asked.types, asked.categories)
    return choose(every(workspace, found, asked.stream), asked)


def choose(listed: EventList, asked: Asked) -> EventList:
    """Return the same list with only those of its events that were asked for."""
    events: Sequence[Event] = listed.events
    if not asked.everything:
        events = keep.without_repeats(events)
    events = [event for event in events if _wanted(event, asked)]
    if not asked.everything:
        events = keep.newest(events)
    newest = events[-asked.limit :] if asked.limit else events
    return replace(listed, total=len(events), events=tuple(newest))


def _wanted(event: Event, asked: Asked) -> bool:
    return (
        (not asked.types or event.type in asked.types)
        and (not asked.categories or event.category in asked.categories)
        and (not asked.priority or event.priority <= asked.priority)
        and (not asked.since or (words.unix(event.time) or 0) >= asked.since)
    )


def session_of(workspace: Workspace, found: Resolved, stream: str = "") -> Session:
    """Return the session of a version with its messages, of `REV:N` up to message N; with `stream`
    that subagent's only."""
    session = (
        sides.session_of(workspace, found.commit, stream)._replace(state=State())
        if stream
        else read_messages.session_of(workspace, found.commit)
    )
    if not found.message:
        return session
    show.message(session, found.message)  # raises if there is no such message
    state = session.state._replace(todos=())  # they belong to the version, not to the message
    return session._replace(messages=session.messages[: found.message], state=state)


def name_of(workspace: Workspace, found: Resolved) -> str:
    """Return `<session>/<branch>` of a version, "" if it is on no branch."""
    try:
        return "/".join(homes.home_of(workspace, found))
    except NotFound:
        return ""
