"""The content of a snapshot, section by section: events → items, newest first in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gitsession.render import xml_text
from gitsession.render.snapshot_items import (
    Item,
    blocked,
    different,
    environment,
    errors,
    files,
    git,
    goal,
    newest,
    prompts,
    roles,
    rules,
    skills,
    tasks,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.event import Event
    from gitsession.model.event_list import EventList

    Make = Callable[[Sequence[Event], EventList], Iterator[Item]]

_SECTIONS: tuple[tuple[str, str, int, Make], ...] = (
    ("recent_user_messages", "message", 3, prompts),
    ("goal", "text", 1, goal),
    ("task_state", "task", 10, tasks),
    ("rules", "rule", 10, rules),
    ("decisions", "decision", 5, different("decision", "decision_question")),
    ("blocked_on", "blocker", 1, blocked),
    ("constraints", "constraint", 5, different("constraint_discovered")),
    ("errors", "error", 5, errors),
    ("files", "file", 10, files),
    ("plan", "step", 2, different("plan_approved", "plan_rejected", "plan_file_write")),
    ("rejected", "approach", 3, different("rejected")),
    ("git", "operation", 5, git),
    ("environment", "setting", 5, environment),
    ("subagents", "subagent", 5, different("subagent_completed", "subagent_launched")),
    ("skills", "skill", 10, skills),
    ("roles", "role", 2, roles),
    ("intent", "kind", 1, newest("intent")),
    ("mcp", "call", 3, different("mcp")),
)
"""A section's name, the name of its items, their maximum number, and their maker; most important
first."""
_AS_THEY_COME = ("task_state",)
"""All other sections are shown in order of time."""


class Section:
    """A section: `items` holds as many as it may show; `count` is how many there are."""

    def __init__(self, place: int, name: str, item: str, items: Sequence[Item], count: int) -> None:
        self.place = place
        self.name = name
        self.item = item
        self.items = items
        self.searches: Sequence[str] = ()
        self.opening = xml_text.opening(name, {"count": count}) + "\n"
        self.closing = f"</{name}>\n"
        self.in_time = name not in _AS_THEY_COME

    @property
    def queries(self) -> Iterator[tuple[str, int]]:
        """The queries to try, each with the message that it should find."""
        return ((item.query, item.message) for item in self.items if item.message)


def sections(listed: EventList) -> list[Section]:
    """Return the sections that are not empty, most important first."""
    events = listed.events[::-1]
    found: list[Section] = []
    for name, item, most, make in _SECTIONS:
        items = list(make(events, listed))
        if items:
            found.append(Section(len(found), name, item, items[:most], len(items)))
    return found
