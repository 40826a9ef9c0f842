"""The default strategy: the smallest loss that fits.

First everything; then ever shorter old tool texts; then the newest messages, the key messages, and
one summary at the head of everything left out, which takes the remaining room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gitsession.context.detect import key_messages
from gitsession.context.entry import Entries, Entry, out, summary_entry, with_parts
from gitsession.context.groups import exchanges, is_prompt
from gitsession.context.measure import Measure
from gitsession.context.opencode import summary_input
from gitsession.context.prune import is_summary, shorten
from gitsession.context.readable import strip_media
from gitsession.context.summary import Told, summarise
from gitsession.context.wishes import Wishes

_LIMITS = (8_000, 2_000, 600)
"""Limits, in characters, on a tool text, tried in this order as long as all messages may still
fit."""
_HOPELESS = 1.25
"""If the shortest tool texts exceed the room by this factor, longer ones are not tried."""
_FRESH = 2
"""The number of newest exchanges that are shortened last."""
_RECENT, _KEYS = 0.45, 0.35
"""The share of the room for the newest messages, and the share of what they leave for key
messages."""
_ONE = 0.3
"""The most of such a share that a single message takes, unless it must stay."""
_LEAST_SUMMARY = 60
_WEIGHTS = {"decision": 0, "requirement": 0, "proposal": 1, "confirmation": 2}

Variants = Callable[[Entry], Iterator[Entry]]


def combine(entries: Entries, room: int, measure: Measure, wishes: Wishes) -> Entries:
    """Return entries of at most `room` tokens; assumes that those that must stay fit."""
    fresh = _fresh(entries)
    entries = strip_media(entries, keep=len(entries) - fresh)
    if measure.entries(entries) <= room:
        return entries
    # A long session exceeds the room in any form; detect this without making all the forms.
    most = room * _HOPELESS
    if (
        sum(map(measure.without_tools, entries)) <= most
        and measure.entries(_lighter(entries, fresh, _LIMITS[-1])) <= most
    ):
        richer = entries
        for limit in _LIMITS:
            lighter = _lighter(entries, fresh, limit)
            if measure.entries(lighter) <= room:
                return _enriched(lighter, richer, room, measure)
            richer = lighter
    return _Allocation(entries, room, measure, wishes).result()


def _lighter(entries: Entries, fresh: int, limit: int) -> Entries:
    """Return the entries with tool texts of at most `limit` characters before position `fresh`."""
    return tuple(
        entry if place >= fresh or entry.must or not entry.kept else shorten(entry, limit)
        for place, entry in enumerate(entries)
    )


def _enriched(entries: Entries, richer: Entries, room: int, measure: Measure) -> Entries:
    """Return the entries with the newest ones replaced by their richer form, as far as the room
    allows."""
    left = room - measure.entries(entries)
    chosen = list(entries)
    for place in range(len(entries) - 1, -1, -1):
        more = measure.entry(richer[place]) - measure.entry(entries[place])
        if 0 < more <= left:
            left -= more
            chosen[place] = richer[place]
    return tuple(chosen)


def _fresh(entries: Entries) -> int:
    """Return the position at which the newest exchanges begin."""
    found = exchanges(entries)[-_FRESH:]
    return found[0][0] if found else len(entries)


class _Allocation:
    """Allocates the tokens once not all messages fit in any form."""

    def __init__(self, entries: Entries, room: int, measure: Measure, wishes: Wishes) -> None:
        self._entries = list(entries)
        self._measure, self._wishes = measure, wishes
        self._chosen: dict[int, Entry] = {}
        self._left = room
        for place, entry in enumerate(entries):
            if entry.kept and entry.must:
                self._choose(place, entry)

    def result(self) -> Entries:
        self._take_question()
        self._take_recent(int(self._left * _RECENT))
        self._take_keys(int(self._left * _KEYS))
        return self._with_summary()

    def _choose(self, place: int, entry: Entry) -> None:
        self._chosen[place] = entry
        self._left -= self._measure.entry(entry)

    def _take_question(self) -> None:
        """Take the prompt of the newest exchange."""
        for place in reversed(range(len(self._entries))):
            entry = self._entries[place]
            if entry.kept and is_prompt(entry):
                if place not in self._chosen and self._cost(entry) <= self._left // 2:
                    self._choose(place, entry)
                return

    def _take_recent(self, share: int) -> None:
        """Take messages backwards without a gap in what was said; messages with only tool calls may
        be left to the summary if even their lightest form is too large."""
        cap = max(int(share * _ONE), 1)
        for place in reversed(range(len(self._entries))):
            entry = self._entries[place]
            if not entry.kept or place in self._chosen or not entry.number:
                continue
            limits = _LIMITS[1:] if len(self._entries) - place < 40 else _LIMITS[2:]
            found = self._lightest(entry, min(cap, share), limits)
            if found is None:
                if not entry.message.text.strip() and share > cap:
                    continue
                return
            share -= self._cost(found)
            self._choose(place, found)

    def _lightest(self, entry: Entry, limit: int, limits: Sequence[int]) -> Entry | None:
        """Return the form with the smallest loss that costs at most `limit`, or None."""
        for form in _forms(entry, limits):
            if self._cost(form) <= limit:
                return form
        return None

    def _take_keys(self, share: int) -> None:
        """Take key messages among the older ones: the most important kinds first, newest first
        within a kind."""
        messages = [entry.message for entry in self._entries]
        found = key_messages(messages, self._wishes.kind_of)
        cap = max(int(share * _ONE), 1)
        for place in sorted(found, key=lambda at: (_WEIGHTS[found[at]], -at)):
            entry = self._entries[place]
            if not entry.kept or place in self._chosen or not entry.number:
                continue
            form = text_only(entry)
            if form is None or self._cost(form) > min(cap, share):
                continue
            share -= self._cost(form)
            self._choose(place, replace(form, why=f"{form.why}; a {found[place]}".strip("; ")))

    def _with_summary(self) -> Entries:
        covered = [
            entry
            for place, entry in enumerate(self._entries)
            if entry.kept and place not in self._chosen
        ]
        # Messages that fit as they are need no summary, which could only be longer.
        if self._measure.entries(covered) <= self._left:
            return tuple(self._chosen.get(at, entry) for at, entry in enumerate(self._entries))
        made = self._summary(covered)
        fate = ("summarised", "older") if made else ("dropped", "no room for a summary")
        rest = [
            self._chosen.get(place) or (out(entry, *fate) if entry.kept else entry)
            for place, entry in enumerate(self._entries)
        ]
        systems = sum(entry.must == "system" for entry in rest)
        return (*rest[:systems], *made, *rest[systems:])

    def _summary(self, covered: list[Entry]) -> Entries:
        """Return one summary of the messages not chosen, or nothing if there is no room for it."""
        limit = self._left - self._cost(summary_entry(""))
        if limit < _LEAST_SUMMARY:
            return ()
        shown = tuple(sorted(entry.number for entry in self._chosen.values() if entry.number))
        told = Told(covered, self._wishes.todos, shown, self._wishes.kind_of)
        text = ""
        if self._wishes.summarize is not None:
            text = within(self._wishes.summarize(summary_input(covered)), limit, self._measure)
        text = text or summarise(told, limit, self._measure)
        if not text:
            return ()
        return (summary_entry(text),)

    def _cost(self, entry: Entry) -> int:
        return self._measure.entry(entry)


def _forms(entry: Entry, limits: Sequence[int]) -> Iterator[Entry]:
    """Yield the forms of a message in order of growing loss."""
    if is_summary(entry):
        yield entry
        return
    for limit in limits:
        yield shorten(entry, limit)
    if (spoken := text_only(entry)) is not None:
        yield spoken


def text_only(entry: Entry) -> Entry | None:
    """Return what was said, without tool calls and their results; None if nothing was said."""
    parts = [part for part in entry.message.parts if part.kind in ("text", "compaction")]
    if not any(part.text.strip() for part in parts):
        return None
    if len(parts) == len(entry.message.parts):
        return entry
    return with_parts(entry, parts, "shortened", "without its tool calls")


def within(text: str, limit: int, measure: Measure) -> str:
    """Return the first lines of a text, whole ones, of at most `limit` tokens."""
    lines = text.strip().split("\n")
    while lines and measure.text("\n".join(lines)) > limit:
        lines = lines[: len(lines) * 4 // 5]
    return "\n".join(lines)
