"""Events → the items of a snapshot's sections. Events are passed newest first; unless stated
otherwise, items keep that order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from gitsession.render import snapshot_queries, xml_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.model.event import Event
    from gitsession.model.event_list import EventList

    class Item(NamedTuple):
        text: str
        message: int
        attributes: dict[str, object]
        query: str
else:
    from collections import namedtuple

    Item = namedtuple("Item", "text message attributes query")
    Item.__doc__ = """An unescaped line, the number of the message it comes from (0: not known), its
    attributes, and a query that finds more."""

PROMPTS = 3
_TEXT = 200
_MESSAGE = 400
_PATH = 160
_NAME = 80
_LOOKS = 4
"""The priority of a git command that only shows something."""
_OPERATIONS = {"file_edit": "edit", "file_write": "write", "file_read": "read"}


def different(*types: str) -> Callable[[Sequence[Event], EventList], Iterator[Item]]:
    """Return a maker of items: one for each event of these types that does not repeat a newer
    one."""

    def make(events: Sequence[Event], _: EventList) -> Iterator[Item]:
        return map(_item, _different(events, types))

    return make


def newest(*types: str) -> Callable[[Sequence[Event], EventList], Iterator[Item]]:
    """Return a maker of one item: the newest event of these types."""

    def make(events: Sequence[Event], _: EventList) -> Iterator[Item]:
        return map(_item, islice(_different(events, types), 1))

    return make


def prompts(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    return (_item(event, _MESSAGE) for event in events if event.type == "user_prompt")


def goal(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    """Yield the last goal that was set; without one, the first prompt, if it is not among the
    recent ones."""
    told = [event for event in events if event.type == "goal"][:1]
    asked = [event for event in events if event.type == "user_prompt"]
    return map(_item, told or asked[PROMPTS:][-1:])


def tasks(events: Sequence[Event], listed: EventList) -> Iterator[Item]:
    """Yield the tasks that are not done, the next one first."""
    told = [event for event in events if event.category == "task"]
    for text, status in listed.tasks:
        number = next((event.message for event in told if text and text in event.data), 0)
        where: dict[str, object] = {"n": number} if number else {}
        yield Item(
            xml_text.line(text, _TEXT),
            number,
            {"status": xml_text.line(status, _NAME), **where},
            snapshot_queries.of_text(text),
        )


def rules(events: Sequence[Event], listed: EventList) -> Iterator[Item]:
    """Yield the rule files that were in force."""
    for event in _different(events, ("rule",)):
        yield _path(_inside(event.data, listed), event.message)


def blocked(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    """Yield what blocks the work, unless the user has since said that it is resolved."""
    last = next((event for event in events if event.category == "blocked-on"), None)
    if last is not None and last.type == "blocker":
        yield _item(last)


def errors(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    """Yield the errors that nothing has resolved since, then the others; each newest first."""
    resolved: set[str] = set()
    late: list[Item] = []
    for event in events:
        if event.type == "error_resolved":
            resolved.update(_beginnings(event.data))
        elif event.type == "error_tool":
            if event.data.partition("\n")[0] in resolved:
                late.append(_item(event, resolved="yes"))
            else:
                yield _item(event)
    yield from late


def _beginnings(said: str) -> Iterator[str]:
    """Yield every possible first part of `what was done: how it failed`, as it may contain colons
    itself."""
    at = said.find(": ")
    while at >= 0:
        yield said[:at]
        at = said.find(": ", at + 1)


def files(events: Sequence[Event], listed: EventList) -> Iterator[Item]:
    """Yield each path once, with the operations on it and their counts; the last one touched comes
    first."""
    touched: dict[str, dict[str, int]] = {}
    last: dict[str, int] = {}
    for event in events:
        if event.type in _OPERATIONS:
            path, name = _inside(event.data, listed), _OPERATIONS[event.type]
            counts = touched.setdefault(path, {})
            counts[name] = counts.get(name, 0) + 1
            last.setdefault(path, event.message)
    for path, counts in touched.items():
        done = " ".join(f"{name}×{number}" for name, number in sorted(counts.items()))
        yield _path(path, last[path], ops=done)


def git(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    """Yield operations that changed something, and the messages of commits."""
    changes = [event for event in events if event.priority < _LOOKS]
    return map(_item, _different(changes, ("git", "git_commit")))


def environment(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    """Yield the last folder that a shell changed to, then what was set up."""
    folder = islice(_different(events, ("cwd",)), 1)
    set_up = _different(events, ("env", "worktree", "worktree_exit"))
    return map(_item, chain(folder, set_up))


def skills(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    """Yield each skill once, with how often it was used."""
    used: dict[str, list[Event]] = {}
    for event in events:
        if event.type == "skill":
            used.setdefault(event.data, []).append(event)
    for found in used.values():
        times = len(found) if len(found) > 1 else ""
        yield _item(found[0], _NAME, times=times)


def roles(events: Sequence[Event], _: EventList) -> Iterator[Item]:
    """Yield roles, except those in the recent prompts, which are shown anyway."""
    shown = [event.message for event in events if event.type == "user_prompt"][:PROMPTS]
    older = (event for event in events if event.message not in shown)
    return map(_item, _different(older, ("role",)))


def _different(
    events: Iterator[Event] | Sequence[Event], types: tuple[str, ...]
) -> Iterator[Event]:
    said = set()
    for event in events:
        if event.type in types and event.data not in said:
            said.add(event.data)
            yield event


def _item(event: Event, most: int = _TEXT, **attributes: object) -> Item:
    text = xml_text.line(event.data, most)
    query = snapshot_queries.of_text(event.data)
    return Item(text, event.message, {"n": event.message, **attributes}, query)


def _inside(path: str, listed: EventList) -> str:
    """Return a path relative to the project's folder."""
    return path.removeprefix(listed.project.rstrip("/") + "/") if listed.project else path


def _path(path: str, message: int, **attributes: object) -> Item:
    query = snapshot_queries.of_path(path)
    return Item(xml_text.line(path, _PATH), message, {"n": message, **attributes}, query)
