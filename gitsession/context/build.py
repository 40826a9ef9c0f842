"""Build a context: the messages of a session that a model gets within a budget, with a ledger.

Stored data is never changed. The same session, budget and wishes give the same context.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from gitsession.context import claw, lobe, opencode
from gitsession.context.combine import combine, within
from gitsession.context.entry import (
    Context,
    Entries,
    Entry,
    Line,
    entries_of,
    out,
    summary_entry,
)
from gitsession.context.groups import backwards, count_window, exchanges, recent
from gitsession.context.lines import CHARACTERS, compress
from gitsession.context.measure import MESSAGE, Measure
from gitsession.context.pairs import repair
from gitsession.context.prune import clear_calls, is_summary, prune, shorten
from gitsession.context.readable import readable
from gitsession.context.summary import Told, summarise
from gitsession.context.tokens import Counter
from gitsession.context.trident import trident
from gitsession.context.wishes import MARGIN, Wishes
from gitsession.errors import UsageError
from gitsession.model.session import Session

Strategy = Callable[[Entries, int, Measure, Wishes], Entries]
"""(entries, room in tokens, measure, wishes) → entries."""

_LAST_RESORT = (8_000, 2_000, 400, 100)
"""Limits, in characters, on tool texts in the newest message, tried in turn if it alone exceeds the
budget."""


def build(
    session: Session,
    budget: int,
    strategy: str = "default",
    *,
    counter: Counter,
    keys: Collection[int] = (),
    system: str = "",
    margin: int | None = None,
    wishes: Wishes | None = None,
) -> Context:
    """Return the context of `session.messages` within `budget` tokens as counted by `counter`.

    `keys` are the numbers of messages that stay whole; `system` is a prompt whose tokens count as
    well. `margin` tokens (default: a twentieth of the budget) stay free. Raises UsageError if the
    messages that must stay do not fit, and for an unknown strategy.
    """
    shape = _strategy(strategy)
    wishes = wishes or Wishes()
    marked = frozenset(keys) | frozenset(wishes.keys)
    wishes = replace(wishes, todos=session.state.todos, keys=marked)
    measure = Measure(counter)
    free = max(0, int(budget * MARGIN) if margin is None else margin)
    room = budget - free - (measure.text(system) + MESSAGE if system else 0)
    entries, repairs = _prepared(session, wishes, bool(system))
    entries = _fitting_musts(entries, room, measure)
    entries = _guarded(shape(entries, room, measure, wishes), room, measure)
    kept = [entry for entry in entries if entry.kept]
    return Context(
        messages=tuple(entry.message for entry in kept),
        numbers=tuple(entry.number for entry in kept),
        ledger=_ledger(entries, measure),
        tokens=budget - free - room + measure.entries(kept),
        budget=budget,
        margin=free,
        estimator=measure.name,
        strategy=strategy,
        system=system,
        repairs=repairs,
    )


def _strategy(name: str) -> Strategy:
    if name not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise UsageError(f"there is no strategy {name}", hint=f"one of {known}")
    return STRATEGIES[name]


def _prepared(session: Session, wishes: Wishes, prompt: bool) -> tuple[Entries, tuple[str, ...]]:
    """Return readable, paired entries: those that must stay are marked, and people's markers are
    applied."""
    entries = entries_of(session.messages)
    entries = tuple(
        replace(entry, must="key") if entry.number in wishes.keys else entry for entry in entries
    )
    entries, repairs = repair(readable(entries))
    entries = _with_recent(_with_ends(entries, prompt), wishes.recent)
    return _with_markers(entries, session.state.markers), repairs


def readable_pairs(session: Session) -> Entries:
    """Return the entries of a session before any strategy: readable, paired, with its system prompt
    and its newest message marked."""
    return _with_ends(repair(readable(entries_of(session.messages)))[0])


def _with_ends(entries: Entries, prompt: bool = False) -> Entries:
    """Mark the leading system prompt and the newest message as entries that must stay. `prompt`
    says that another system prompt replaces the first; then it is dropped."""
    places = [place for place, entry in enumerate(entries) if entry.kept]
    marked = list(entries)
    if places:
        first, last = places[0], places[-1]
        marked[last] = replace(marked[last], must=marked[last].must or "newest")
        if marked[first].message.role == "system" and not is_summary(marked[first]):
            given = out(marked[first], "dropped", "another system prompt was given")
            marked[first] = given if prompt else replace(marked[first], must="system")
    return tuple(marked)


def _with_recent(entries: Entries, count: int) -> Entries:
    wanted = {place for one in exchanges(entries)[-count:] for place in one} if count > 0 else set()
    return tuple(
        replace(entry, must=entry.must or "recent") if place in wanted else entry
        for place, entry in enumerate(entries)
    )


def in_force(
    markers: Iterable[Mapping[str, object]],
) -> tuple[frozenset[str], Mapping[str, object] | None]:
    """Return the effect of people's markers: the calls whose results are cleared, and the newest
    compaction."""
    cleared: set[str] = set()
    compacted: Mapping[str, object] | None = None
    for marker in markers:
        calls = marker.get("calls")
        names = {str(call) for call in calls} if isinstance(calls, (list, tuple)) else set()
        if marker.get("kind") == "prune":
            cleared |= names
        elif marker.get("kind") == "unprune":
            cleared = cleared - names if names else set()
        elif marker.get("kind") == "compact":
            compacted = marker
    return frozenset(cleared), compacted


def _with_markers(entries: Entries, markers: Iterable[Mapping[str, object]]) -> Entries:
    """Apply people's markers: clear the marked results, and replace the newest marked range by its
    summary."""
    cleared, compacted = in_force(markers)
    entries = clear_calls(entries, cleared, "pruned by hand") if cleared else entries
    return _compacted(entries, compacted) if compacted else entries


def _compacted(entries: Entries, marker: Mapping[str, object]) -> Entries:
    first, last, text = marker.get("first"), marker.get("last"), marker.get("summary")
    if not (isinstance(first, int) and isinstance(last, int) and isinstance(text, str) and text):
        return entries
    rest = [
        out(entry, "summarised", "compacted by hand")
        if entry.kept and not entry.must and first <= entry.number <= last
        else entry
        for entry in entries
    ]
    systems = sum(entry.must == "system" for entry in rest)
    return (*rest[:systems], summary_entry(text), *rest[systems:])


def _fitting_musts(entries: Entries, room: int, measure: Measure) -> Entries:
    """Check that the entries that must stay fit; as a last resort shorten the tool texts of the
    newest message. Raises UsageError if they do not."""
    fixed = [entry for entry in entries if entry.must and entry.kept]
    need = measure.entries(fixed)
    newest = next((entry for entry in fixed if entry.must == "newest"), None)
    if need > room and newest is not None:
        others = need - measure.entry(newest)
        for limit in _LAST_RESORT:
            shorter = shorten(newest, limit, ())
            need = others + measure.entry(shorter)
            if need <= room:
                return tuple(shorter if entry is newest else entry for entry in entries)
    if need > room:
        numbers = ", ".join(str(entry.number) for entry in fixed[:12])
        raise UsageError(
            f"the messages that must stay ({numbers}) need {need} tokens, the budget leaves {room}",
            hint="use a larger --budget, or remove key tags or --recent",
        )
    return entries


def _guarded(entries: Entries, room: int, measure: Measure) -> Entries:
    """Enforce the budget, whatever a strategy did. If a summary is dropped, the messages it covered
    count as dropped, too."""
    if measure.entries(entries) <= room:
        return entries
    entries = _squeezed(entries, room, measure)
    return backwards(entries, room, measure)


def _squeezed(entries: Entries, room: int, measure: Measure) -> Entries:
    """Shorten summaries made here: to the room that the others leave, or half of it; then to Claw's
    few lines; or drop them if the entries that must stay leave no room."""
    left = room - measure.entries(entry for entry in entries if entry.must)
    made = [entry for entry in entries if not entry.number]
    need = measure.entries(made)
    if need <= left:
        return entries
    largest = max(made, key=measure.entry)
    free = max(room - measure.entries(entries) + need, left // 2) - need + measure.entry(largest)
    for shorter in (_shorter(largest, min(free, left), measure), _compressed(largest)):
        if shorter and need - measure.entry(largest) + measure.entry(shorter) <= left:
            return tuple(shorter if entry is largest else entry for entry in entries)
    return tuple(
        out(entry, "dropped", "no room for a summary")
        if not entry.number or entry.fate == "summarised"
        else entry
        for entry in entries
    )


def _shorter(entry: Entry, limit: int, measure: Measure) -> Entry | None:
    """Return the beginning of a summary, or None if hardly anything would be left of it."""
    text = within(entry.message.parts[0].text, limit - MESSAGE, measure)
    return _said(entry, text) if len(text) >= CHARACTERS else None


def _compressed(entry: Entry) -> Entry:
    return _said(entry, compress(entry.message.parts[0].text))


def _said(entry: Entry, text: str) -> Entry:
    part = replace(entry.message.parts[0], text=text)
    return replace(entry, message=replace(entry.message, parts=(part,)))


def _ledger(entries: Entries, measure: Measure) -> tuple[Line, ...]:
    lines = [
        Line(
            message=entry.number,
            fate=entry.fate,
            why=entry.why or _why_kept(entry),
            before=measure.message(entry.original),
            after=measure.entry(entry),
            into="summary" if entry.fate == "summarised" else "",
        )
        for entry in entries
        if entry.number
    ]
    return tuple(sorted(lines, key=lambda line: line.message))


def _why_kept(entry: Entry) -> str:
    return {"key": "a key message", "newest": "the newest", "recent": "recent"}.get(entry.must, "")


def _claw(entries: Entries, room: int, measure: Measure, wishes: Wishes) -> Entries:
    del room, measure, wishes
    return claw.compact(entries) if claw.should_compact(entries) else entries


def _opencode(entries: Entries, room: int, measure: Measure, wishes: Wishes) -> Entries:
    entries = prune(entries)
    if measure.entries(entries) <= room:
        return entries
    tail = opencode.Tail(turns=wishes.tail)
    return opencode.compact(entries, room, measure, wishes.todos, tail, wishes.kind_of)[0]


def _lobe(entries: Entries, room: int, measure: Measure, wishes: Wishes) -> Entries:
    entries = count_window(entries, wishes.count, enabled=wishes.count > 0)
    return backwards(entries, room, measure)


def _lobe_compress(entries: Entries, room: int, measure: Measure, wishes: Wishes) -> Entries:
    if not lobe.should_compress(lobe.tokens(entries), room):
        return entries
    covered = [entries[place] for place in lobe.covered(entries)]
    if not covered:
        return entries
    limit = room // 4
    if wishes.summarize is not None:
        text = within(wishes.summarize(opencode.summary_input(covered)), limit, measure)
    else:
        text = summarise(Told(covered, wishes.todos, kind_of=wishes.kind_of), limit, measure)
    return lobe.compress(entries, text) if text else entries


def _recent(entries: Entries, room: int, measure: Measure, wishes: Wishes) -> Entries:
    del wishes
    return recent(entries, room, measure)


def _trident(entries: Entries, room: int, measure: Measure, wishes: Wishes) -> Entries:
    return combine(trident(entries), room, measure, wishes)


STRATEGIES: dict[str, Strategy] = {
    "default": combine,
    "recent": _recent,
    "claw": _claw,
    "trident": _trident,
    "opencode": _opencode,
    "lobe": _lobe,
    "lobe-compress": _lobe_compress,
}
"""The values of `--strategy`."""
