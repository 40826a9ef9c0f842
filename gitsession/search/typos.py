"""Words that a word may have been meant as: those that few slips of the fingers make of it."""

from __future__ import annotations

from collections.abc import Iterable

_SHORT, _MIDDLE = 4, 12
MOST = 3
"""How many words are tried in place of one."""


def slips(word: str) -> int:
    """How many slips a word of that length may have."""
    return 1 if len(word) <= _SHORT else 2 if len(word) <= _MIDDLE else 3


def nearest(word: str, stem: str, known: Iterable[tuple[str, int]]) -> list[tuple[int, str]]:
    """Those of the known words (each with how often it stands somewhere) that are near to one or to
    its stem, and how far: the nearest first, of these the frequent ones."""
    bound, letters = slips(word), set(word)
    numbers = any(one.isdigit() for one in word)
    found: list[tuple[int, int, str]] = []
    for other, count in known:
        if not len(stem) - bound <= len(other) <= len(word) + bound or other in (word, stem):
            continue
        if not numbers and not other.isalpha():
            continue
        if len(letters ^ set(other)) > 2 * bound + len(word) - len(stem):
            continue
        far = min(
            [far for one in {word, stem} if (far := distance(one, other, bound)) <= slips(one)],
            default=0,
        )
        if far:
            found.append((far, -count, other))
    return [(far, other) for far, _, other in sorted(found)]


def distance(one: str, other: str, most: int) -> int:
    """Characters to add, to leave out, to replace, or neighbours to exchange, to make one word of
    the other; something above `most` where it is more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one):
        older, before, row = before, row, [at + 1]
        for place, mark in enumerate(other):
            cost = min(before[place + 1] + 1, row[place] + 1, before[place] + (letter != mark))
            if at and place and letter == other[place - 1] and one[at - 1] == mark:
                cost = min(cost, older[place - 1] + 1)
            row.append(cost)
        if min(row) > most and (not before or min(before) > most):
            return most + 1
    return row[-1]
