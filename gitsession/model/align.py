"""Align two sequences: which positions hold equal items. Used for messages and for lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence

Pairs = list[tuple[int, int]]


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """Return pairs of positions that hold equal keys, ascending on both sides.

    First the common head and tail are paired. In between, keys that occur exactly once on each side
    serve as anchors (the longest ascending run of them), and each gap is matched from both ends.
    O(n log n).
    """
    head, tail = _ends(old, new, 0, len(old), 0, len(new))
    pairs = [(index, index) for index in range(head)]
    left, right = head, head
    for i, j in _anchors(old, new, head, len(old) - tail, len(new) - tail):
        pairs += _gap(old, new, left, i, right, j)
        pairs.append((i, j))
        left, right = i + 1, j + 1
    pairs += _gap(old, new, left, len(old) - tail, right, len(new) - tail)
    pairs += [(len(old) - back, len(new) - back) for back in range(tail, 0, -1)]
    return pairs


def _ends(
    old: Sequence[Hashable], new: Sequence[Hashable], i: int, i_end: int, j: int, j_end: int
) -> tuple[int, int]:
    """Return how many keys two ranges share at the beginning and, of the rest, at the end."""
    shorter = min(i_end - i, j_end - j)
    head = 0
    while head < shorter and old[i + head] == new[j + head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[i_end - tail - 1] == new[j_end - tail - 1]:
        tail += 1
    return head, tail


def _anchors(
    old: Sequence[Hashable], new: Sequence[Hashable], start: int, i_end: int, j_end: int
) -> Pairs:
    """Return the keys that are unique on both sides, as the longest run that ascends on both."""
    old_times, new_times = Counter(old[start:i_end]), Counter(new[start:j_end])
    place = {new[j]: j for j in range(start, j_end)}
    candidates = [
        (i, place[old[i]])
        for i in range(start, i_end)
        if old_times[old[i]] == 1 and new_times.get(old[i]) == 1
    ]
    ends: list[int] = []
    best: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(candidates):
        length = bisect_left(ends, j)
        if length == len(ends):
            ends.append(j)
            best.append(index)
        else:
            ends[length] = j
            best[length] = index
        before.append(best[length - 1] if length else -1)
    run = []
    index = best[-1] if best else -1
    while index >= 0:
        run.append(candidates[index])
        index = before[index]
    return run[::-1]


def _gap(
    old: Sequence[Hashable], new: Sequence[Hashable], i: int, i_end: int, j: int, j_end: int
) -> Pairs:
    """Pair the keys between two anchors: the common head and tail, then repeated keys in order."""
    head, tail = _ends(old, new, i, i_end, j, j_end)
    pairs = [(i + step, j + step) for step in range(head)]
    waiting: dict[Hashable, list[int]] = {}
    for position in range(j_end - tail - 1, j + head - 1, -1):
        waiting.setdefault(new[position], []).append(position)
    last = j + head - 1
    for position in range(i + head, i_end - tail):
        places = waiting.get(old[position], [])
        while places and places[-1] <= last:
            places.pop()
        if places:
            last = places.pop()
            pairs.append((position, last))
    return pairs + [(i_end - back, j_end - back) for back in range(tail, 0, -1)]
