"""`events`: one fact per line, with the number of the message it was found in."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.event import Event
    from gitsession.model.event_list import EventList

_ID = 8
_ROLES = {
    "user-prompt": "user", "error": "error", "rule": "tag", "decision": "title", "file": "tool",
    "git": "changed", "error-resolution": "ok",
}  # fmt: skip
"""The colour of an event's type, by its category."""
_PATHS = ("file", "rule")


def events(found: EventList, *, palette: Palette = PLAIN, width: int = 100) -> Iterator[str]:
    """Yield the events, newest first, under the day of each, and how to see more of one."""
    newest = found.events[::-1]
    numbers = max(len(str(event.message)) for event in newest)
    types = max(len(event.type) for event in newest)
    day = None
    for event in newest:
        at = words.unix(event.time)
        today = words.moment(at).partition(" ")[0] if at is not None else ""
        if today != day:
            day = today
            yield palette("heading", today or "without a time")
        yield _line(event, numbers, types, palette, width)
    yield ""
    more = f", {len(newest):,} shown (--limit 0 shows all)" if len(newest) < found.total else ""
    yield words.plural(found.total, "event") + more
    place = f"{found.version[:_ID]}:{newest[0].message}"
    yield palette("hint", f"gitsession show {place}") + "  the whole message"


def _line(event: Event, numbers: int, types: int, palette: Palette, width: int) -> str:
    number = palette("id", str(event.message).rjust(numbers))
    clock = words.clock(event.time).ljust(5)
    kind = palette(_ROLES.get(event.category, "dim"), event.type.ljust(types))
    room = max(20, width - numbers - types - 5 - 2 - 5 * 2)
    said = event.data
    if event.category in _PATHS and event.project:
        said = said.removeprefix(event.project.rstrip("/") + "/")
    said = safe.short(said, room)
    return f"  {number}  {clock}  {kind}  p{event.priority}  {said}".rstrip()


def nothing(found: EventList) -> str:
    """Return the text shown instead of an empty list."""
    if not found.count:
        return "This version has no events."
    return (
        f"No matching event among {found.count:,}; types in this version: {', '.join(found.types)}"
    )
