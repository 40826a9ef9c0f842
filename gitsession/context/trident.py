"""Claw Code's pass before a compaction, here without breaking pairs. Removes calls made worthless
by a later write of the same file, runs of small talk, and answers that say nearly the same."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from heapq import merge
from itertools import groupby

from gitsession.context.entry import Entries, Entry, out, with_parts
from gitsession.model.message import Part

CHATTY = 200
"""A message shorter than this many characters is small talk."""
RUN = 4
SIMILAR = 0.6
CLUSTER = 3
_LOOKED_AT = 4_000
"""The number of characters of an answer whose words are compared."""
_COMPARED = 200
"""The number of most recent distinct answers to compare with: more would cost a long session more
than it gains."""

_READS = frozenset(("read", "read_file", "view", "cat", "open_file"))
_WRITES = frozenset(("write", "write_file", "edit", "edit_file", "multiedit", "create", "replace"))
_PATHS = ("file_path", "path", "absolute_path", "filePath", "filename")
_WORD = re.compile(r"\w+")


def trident(entries: Entries) -> Entries:
    """Apply the three steps in turn; entries that must stay are left alone, and every loss has its
    reason."""
    return _clustered(_without_chat(_superseded(entries)))


def _superseded(entries: Entries) -> Entries:
    """Remove reads and writes of a file before its last write, each call with its result."""
    last: dict[str, tuple[int, int]] = {}
    for place, entry in enumerate(entries):
        for position, part in enumerate(entry.message.parts if entry.kept else ()):
            if part.name.lower() in _WRITES and _path(part):
                last[_path(part)] = (place, position)
    made = []
    for place, entry in enumerate(entries):
        gone = {
            part.call_id
            for position, part in enumerate(entry.message.parts)
            if part.kind == "tool_call"
            and part.name.lower() in _READS | _WRITES
            and (place, position) < last.get(_path(part), (0, 0))
        }
        made.append(
            _without_calls(entry, gone) if gone and entry.kept and not entry.must else entry
        )
    return tuple(made)


def _path(part: Part) -> str:
    given = part.input if isinstance(part.input, dict) else {}
    found = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), "")
    return str(found)


def _without_calls(entry: Entry, gone: set[str]) -> Entry:
    why = "a later write of the same file"
    parts = [part for part in entry.message.parts if not part.call_id or part.call_id not in gone]
    if not any(part.kind != "text" or part.text.strip() for part in parts):
        return out(entry, "dropped", why)
    return with_parts(entry, parts, "shortened", f"without calls before {why}")


def _without_chat(entries: Entries) -> Entries:
    """Keep only the first and the last message of a run of small talk."""
    chosen = list(entries)
    for run in _runs(entries):
        for place in run[1:-1]:
            why = f"one of {len(run)} short messages in a row"
            chosen[place] = out(entries[place], "dropped", why)
    return tuple(chosen)


def _runs(entries: Entries) -> Iterator[list[int]]:
    run: list[int] = []
    for place, entry in enumerate(entries):
        if not entry.kept:
            continue
        if _is_chat(entry):
            run.append(place)
            continue
        if len(run) >= RUN:
            yield run
        run = []
    if len(run) >= RUN:
        yield run


def _is_chat(entry: Entry) -> bool:
    parts = entry.message.parts
    text = all(part.kind == "text" for part in parts)
    return not entry.must and entry.number > 0 and text and len(entry.message.text) < CHATTY


def _clustered(entries: Entries) -> Entries:
    """Of three or more answers that share most of their words, keep only the newest."""
    said = {
        place: frozenset(_WORD.findall(entry.message.text[:_LOOKED_AT].casefold()))
        for place, entry in enumerate(entries)
        if _is_answer(entry)
    }
    chosen = list(entries)
    for places in _clusters(said):
        for place in places[:-1] if len(places) >= CLUSTER else ():
            why = f"says what message {entries[places[-1]].number} says again"
            chosen[place] = out(entries[place], "dropped", why)
    return tuple(chosen)


def _is_answer(entry: Entry) -> bool:
    if not entry.kept or entry.must or entry.message.role != "assistant":
        return False
    return all(part.kind == "text" for part in entry.message.parts)


def _clusters(said: Mapping[int, frozenset[str]]) -> list[list[int]]:
    """Group places with the first earlier one that says nearly the same.

    Answers that share most of their words also share one of the rarest, so only answers with such a
    word are compared, and of these only the newest distinct ones.
    """
    common = Counter(word for words in said.values() for word in words)
    clusters: list[tuple[frozenset[str], list[int]]] = []
    with_word: dict[str, list[int]] = {}
    for place, words in said.items():
        rarest = sorted(words, key=lambda word: (common[word], word))
        rarest = rarest[: len(words) - int(SIMILAR * len(words)) + 1]
        oldest = len(clusters) - _COMPARED
        numbers = (with_word[word] for word in rarest if word in with_word)
        near = merge(*(one[bisect_left(one, oldest) :] for one in numbers))
        home = next((at for at, _ in groupby(near) if _alike(clusters[at][0], words)), None)
        if home is not None:
            clusters[home][1].append(place)
            continue
        for word in rarest:
            with_word.setdefault(word, []).append(len(clusters))
        clusters.append((words, [place]))
    return [places for _, places in clusters]


def _alike(first: frozenset[str], second: frozenset[str]) -> bool:
    if not first or not second:
        return False
    both = len(first & second)
    return both >= SIMILAR * (len(first) + len(second) - both)
