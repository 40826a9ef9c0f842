"""The events of one version, with the facts that hold for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitsession.model.event import Event


@dataclass(frozen=True, slots=True)
class EventList:
    """The `events` that were asked for, in the order in which they happened.

    session      the `<session>/<branch>` that led to the version, "" if it was named by its id
    agent, native_id   the agent and its id of the session
    version      the full id; `time` is the version's, ISO-8601 UTC with Z
    project      the folder of the first event that has one, else that of the session
    started, last      times of the first and the last event, "" if no event has a time
    count        the number of all events of the version; `total` is the number of those that
                 match the request, of which `events` may be only the newest
    types        the number of events of the version by name of their type
    compactions  how often the agent compacted its context
    tasks        text and status of each task that is still to be done
    """

    session: str = ""
    agent: str = ""
    native_id: str = ""
    version: str = ""
    time: str = ""
    project: str = ""
    started: str = ""
    last: str = ""
    count: int = 0
    total: int = 0
    types: Mapping[str, int] = field(default_factory=dict)
    compactions: int = 0
    tasks: tuple[tuple[str, str], ...] = ()
    events: tuple[Event, ...] = ()
