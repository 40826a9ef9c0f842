"""Correct misspellings: find the known words that are a few typing errors away from a word."""

from __future__ import annotations

from collections.abc import Iterable

_SHORT, _MIDDLE = 4, 12
MOST = 3
"""The most words that are tried instead of one."""


def slips(word: str) -> int:
    """Return how many typing errors a word of that length may have."""
    return 1 if len(word) <= _SHORT else 2 if len(word) <= _MIDDLE else 3


def nearest(word: str, stem: str, known: Iterable[tuple[str, int]]) -> list[tuple[int, str]]:
    """Return those of the known words (each with a frequency) that are close to a word or to its
    stem, with their distance: the nearest first, and of these the most frequent."""
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
    """Return the number of characters to add, drop or replace, or neighbours to swap, that turn one
    word into the other; some number above `most` if it is larger than `most`."""
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
