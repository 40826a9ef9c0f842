"""All events of a session, in the order in which they happened."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.events import outside
from gitsession.events.delegated import Delegated
from gitsession.events.exits import judged
from gitsession.events.kept_out import kept_out
from gitsession.events.outcomes import Outcomes
from gitsession.events.places import Place, Places
from gitsession.events.prompts import of_prompt
from gitsession.events.references import References
from gitsession.events.rules import TOOL_RULES
from gitsession.events.short import short, size
from gitsession.events.tools import use
from gitsession.events.typed import typed
from gitsession.events.used import Found, Used
from gitsession.model.call import Call, message_calls
from gitsession.model.event import Event
from gitsession.model.message import Message
from gitsession.model.session import Session

_RULES = (*TOOL_RULES, *outside.RULES)
_SUMMARY = 2_048


def events(session: Session) -> list[Event]:
    """Return all events of a session with its messages; nothing is left out (see `keep` for that).

    This is one pass over the messages that keeps no state between calls, so the result is always
    the same, and the events of an earlier version are a prefix of those of a later one (except for
    `project`, which then knows more folders).
    """
    walk = _Walk(session)
    return [
        event
        for number, message in enumerate(session.messages, 1)
        for event in walk.of_message(number, message)
    ]


class _Walk:
    def __init__(self, session: Session) -> None:
        self._places = Places(session.info)
        self._delegated = Delegated()
        self._outcomes = Outcomes()
        self._references = References()

    def of_message(self, number: int, message: Message) -> Iterator[Event]:
        for found in self._said(message):
            yield _event(found, number, message, self._places.session)
        for call in message_calls(message, number):
            yield from self._of_call(call, message)

    def _said(self, message: Message) -> Iterator[Found]:
        if message.role == "user" and message.stream == "main":
            words = typed(message.text)
            yield from of_prompt(words)
            yield from self._references.of_prompt(words)
        elif message.role == "note":
            yield from self._delegated.of_note(message.text.lstrip())
        for part in message.parts:
            if part.kind == "compaction":
                told = short(part.text, _SUMMARY) or "compacted"
                yield Found("compaction", "compaction", 2, told)

    def _of_call(self, call: Call, message: Message) -> Iterator[Event]:
        used = judged(use(call))
        returned, went = size(used.output), ""
        for found in self._found(used):
            went = found.data if found.type == "cwd" else went
            place = self._places.of(used, found, went)
            yield _event(found, call.message, message, place, call.call.name, returned)
            returned = 0
        kept = kept_out(used)
        if kept:
            found = kept.found(call.call.name)
            place = self._places.of(used, found)
            yield _event(found, call.message, message, place, call.call.name, returned,
                         kept.avoided)  # fmt: skip

    def _found(self, used: Used) -> Iterator[Found]:
        for rule in _RULES:
            yield from rule(used)
        yield from self._delegated.see(used)
        yield from self._outcomes.see(used)
        yield from self._references.of_call(used)


def _event(
    found: Found, number: int, message: Message, place: Place, tool: str = "", returned: int = 0,
    avoided: int = 0,
) -> Event:  # fmt: skip
    """Make an event. `returned` and `avoided` are counted once per call, so that sums over all
    events are correct."""
    return Event(*found, number, message.time, tool, *place, returned=returned, avoided=avoided)
