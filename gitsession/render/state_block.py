"""The few things that must survive a compaction: role, decisions, skills, intent, in few tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from gitsession.render import xml_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitsession.model.event import Event
    from gitsession.model.event_list import EventList

MOST = 500
"""The most tokens, however much the session says."""
_ROOT = "session_state"
_ROLE = 400
_DECISION = 100
_SKILL = 80
_SKILLS = 10
_SIZES = ((_ROLE, 5, _DECISION, _SKILLS), (_ROLE, 3, _DECISION, _SKILLS))
"""Characters of the role, number of decisions, characters of each, number of skills; the first that
fits is used."""
_SMALLER = tuple((_ROLE >> n, 3, _DECISION >> n, _SKILLS >> n) for n in range(1, 5))


def state_block(listed: EventList, count: Callable[[str], int], most: int = MOST) -> str:
    """Return the fullest block of at most `most` tokens as `count` counts them, else an empty
    element."""
    for sizes in chain(_SIZES, _SMALLER):
        text = "".join(_lines(listed, *sizes))
        if count(text) <= most:
            return text
    return f"<{_ROOT}></{_ROOT}>\n"


def _lines(listed: EventList, role: int, decisions: int, each: int, skills: int) -> Iterator[str]:
    """Yield the newest events of each kind, oldest first."""
    said = {"events": listed.count, "compact_count": listed.compactions}
    yield xml_text.opening(_ROOT, {**said, "generated_at": xml_text.line(listed.time, 40)}) + "\n"
    newest = listed.events[::-1]
    for event in _different(newest, ("role",), 1):
        yield _element("role", event, role)
    found = _different(newest, ("decision", "decision_question"), decisions)
    yield from (_element("decision", event, each) for event in reversed(found))
    found = _different(newest, ("skill",), skills)
    yield from (_element("skill", event, min(_SKILL, each)) for event in reversed(found))
    for event in _different(newest, ("intent",), 1):
        yield _element("intent", event, min(_SKILL, each))
    yield f"</{_ROOT}>\n"


def _different(newest: Sequence[Event], types: Sequence[str], most: int) -> list[Event]:
    """Return the first `most` events of these types, without repeats."""
    found: dict[str, Event] = {}
    for event in newest:
        if len(found) == most:
            break
        if event.type in types:
            found.setdefault(event.data, event)
    return list(found.values())


def _element(name: str, event: Event, most: int) -> str:
    text = xml_text.escaped(xml_text.line(event.data, most))
    return f"{xml_text.opening(name, {'n': event.message})}{text}</{name}>\n"
