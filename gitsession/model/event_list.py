"""The events of one version, with what holds for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitsession.model.event import Event


@dataclass(frozen=True, slots=True)
class EventList:
    """`events` in the order in which they happened: those that were asked for.

    session      `<session>/<branch>` that the version was found by, "" if by its id alone
    agent, native_id   whose session it is
    version      the full id; `time` is the version's, ISO-8601 UTC with Z
    project      the folder of the first event that has one, else that of the session
    started, last      times of the first and the last event, "" where none has one
    count        all events of the version; `total` those that fit what was asked for, of which
                 `events` may be the newest
    types        how many events of each type the version has, by the type's name
    compactions  how often the agent compacted its context
    tasks        those that are still to be done: text and status
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
