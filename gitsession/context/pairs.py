"""The law of pairs: in every context, each tool call is followed immediately by exactly one
result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gitsession.context.entry import Entries, Entry, out, with_parts
from gitsession.context.measure import input_text
from gitsession.model.message import Part

INTERRUPTED = "[interrupted: this tool call never got a result]"

_MOVED = "only results, which moved to their calls"

_Place = tuple[int, int]


@dataclass(slots=True)
class _Pairing:
    """`answers` maps the place of each kept call to its result (None: one has to be made up);
    `renamed` maps a call's place to a new id if different calls share one."""

    answers: dict[_Place, Part | None] = field(default_factory=dict)
    renamed: dict[_Place, str] = field(default_factory=dict)
    taken: set[_Place] = field(default_factory=set)
    doubled: set[_Place] = field(default_factory=set)


def repair(entries: Entries) -> tuple[Entries, tuple[str, ...]]:
    """Return the entries with their calls paired, and the repairs in words.

    The result of a call is looked up in the call's message first, then anywhere. Of a repeated call
    and of several results only the first is kept; results without a call are dropped.
    """
    pairing = _pair(entries)
    repaired: list[Entry] = []
    said: list[str] = []
    for place, entry in enumerate(entries):
        if not entry.kept:
            repaired.append(entry)
            continue
        parts, fixes = _rebuilt(entry, place, pairing)
        said += [f"message {entry.number}: {fix}" for fix in fixes]
        if parts == list(entry.message.parts):
            repaired.append(entry)
        elif parts:
            repaired.append(with_parts(entry, parts, why="; ".join(fixes)))
        else:
            repaired.append(out(entry, "dropped", "; ".join(fixes) or _MOVED))
    return tuple(repaired), tuple(said)


def is_paired(entries: Entries) -> bool:
    """Whether the law of pairs holds; the tests check this for every context."""
    seen: set[str] = set()
    for entry in entries:
        open_call = ""
        for part in entry.message.parts:
            if (part.kind == "tool_result") != bool(open_call):
                return False
            if open_call and part.call_id != open_call:
                return False
            open_call = part.call_id if part.kind == "tool_call" else ""
            if part.kind == "tool_call" and (not open_call or open_call in seen):
                return False
            seen.add(open_call)
        if open_call:
            return False
    return True


def _pair(entries: Entries) -> _Pairing:
    pairing = _Pairing()
    calls = list(_parts_of(entries, "tool_call"))
    results = list(_parts_of(entries, "tool_result"))
    _name_calls(calls, pairing)
    waiting: dict[tuple[int, str], list[tuple[_Place, Part]]] = {}
    anywhere: dict[str, list[tuple[_Place, Part]]] = {}
    for place, part in results:
        waiting.setdefault((place[0], part.call_id), []).append((place, part))
        anywhere.setdefault(part.call_id, []).append((place, part))
    for place, call in calls:
        if place not in pairing.doubled:
            pairing.answers[place] = _take(waiting.get((place[0], call.call_id), []), pairing)
    for place, call in calls:
        if place in pairing.answers and pairing.answers[place] is None:
            pairing.answers[place] = _take(anywhere.get(call.call_id, []), pairing)
    return pairing


def _parts_of(entries: Entries, kind: str) -> Iterator[tuple[_Place, Part]]:
    for number, entry in enumerate(entries):
        if entry.kept:
            for position, part in enumerate(entry.message.parts):
                if part.kind == kind:
                    yield (number, position), part


def _take(candidates: list[tuple[_Place, Part]], pairing: _Pairing) -> Part | None:
    """Return the first result that no call has taken yet; one made up earlier only if there is no
    other."""
    free = [found for found in candidates if found[0] not in pairing.taken]
    found = next((one for one in free if not one[1].synthetic), free[0] if free else None)
    if found is None:
        return None
    pairing.taken.add(found[0])
    return found[1]


def _name_calls(calls: list[tuple[_Place, Part]], pairing: _Pairing) -> None:
    """Find repeated calls, and give new ids to calls that have none or share one with a different
    call."""
    first: dict[str, Part] = {}
    contents: dict[str, set[tuple[str, str]]] = {}
    used = {part.call_id for _, part in calls}
    for place, part in calls:
        if part.call_id and part.call_id not in first:
            first[part.call_id] = part
            continue
        if part.call_id:
            known = contents.setdefault(part.call_id, {_content(first[part.call_id])})
            if _content(part) in known:
                pairing.doubled.add(place)
                continue
            known.add(_content(part))
        name = _free_name(part.call_id or "call", used)
        used.add(name)
        pairing.renamed[place] = name


def _content(call: Part) -> tuple[str, str]:
    return call.name, input_text(call)


def _free_name(base: str, used: set[str]) -> str:
    number = 2 if base != "call" else 1
    # Many calls without an id: the next free number is close to the number of ids in use.
    if base == "call":
        number = max(1, len(used))
    while f"{base}-{number}" in used:
        number += 1
    return f"{base}-{number}"


def _rebuilt(entry: Entry, number: int, pairing: _Pairing) -> tuple[list[Part], list[str]]:
    parts: list[Part] = []
    fixes: list[str] = []
    had: list[Part] = [part for part in entry.message.parts if part.kind == "tool_result"]
    used = 0
    for position, part in enumerate(entry.message.parts):
        place = (number, position)
        if part.kind == "tool_call":
            if place in pairing.doubled:
                fixes.append("a call that stands twice dropped")
                continue
            parts += _pair_at(part, place, pairing, had, fixes)
        elif part.kind != "tool_result":
            parts.append(part)
        else:
            used += place in pairing.taken
    surplus = len(had) - used
    if surplus:
        fixes.append(f"{surplus} {'result' if surplus == 1 else 'results'} without a call dropped")
    return parts, fixes


def _pair_at(
    call: Part, place: _Place, pairing: _Pairing, had: list[Part], fixes: list[str]
) -> list[Part]:
    """Return a call with its one result."""
    found = pairing.answers.get(place)
    call_id = pairing.renamed.get(place, call.call_id)
    if call_id != call.call_id:
        call = replace(call, call_id=call_id)
        if call_id.rpartition("-")[0] != "call":
            fixes.append("a call that shares its id with another one renamed")
    if found is None:
        fixes.append("a call without result marked as interrupted")
        made = Part("tool_result", INTERRUPTED, call_id=call_id, error=True, synthetic=True)
        return [call, made]
    if not any(found is one for one in had):
        fixes.append("a result moved to its call")
    return [call, found if found.call_id == call_id else replace(found, call_id=call_id)]
