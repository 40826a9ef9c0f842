"""A shell command → the simple commands that it runs, as a shell would parse it.

Handles quotes, `$( )`, backticks, heredocs, comments, redirections and separators. Nothing is
expanded: `$HOME` stays `$HOME`. Anything unclosed ends with the text.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

from gitsession.events.script_reader import ASSIGNMENT, Script, TooDeep
from gitsession.events.simple import Redirect as Redirect
from gitsession.events.simple import Simple as Simple

LARGEST = 1 << 16
"""The number of characters that are parsed; the rest of a longer command is ignored."""


@lru_cache(maxsize=64)
def parse(command: str, *, backslash: bool = True) -> tuple[Simple, ...]:
    """Return every simple command in the order of the text; those of `$( )` follow the command that
    contains them, and values of assignments are not parsed. Never raises. Without `backslash`, that
    character has no special meaning, as in PowerShell."""
    script = Script(command[:LARGEST], backslash, ())
    with suppress(TooDeep):
        script.run(0)
    return tuple(draft.simple() for draft in script.drafts if not draft.empty)


def values(command: str) -> tuple[tuple[int, int], ...]:
    """Return the (start, end) positions of the values of all assignments, in order, without nested
    ones. What lies beyond `LARGEST` characters counts as one value, and so does a whole command
    that is nested too deep."""
    script = Script(command[:LARGEST], backslash=True, scope=())
    try:
        script.run(0)
    except TooDeep:
        return ((0, len(command)),)
    spans: list[tuple[int, int]] = []
    for start, end in sorted([*script.spans, (LARGEST, len(command))]):
        if start < end and (not spans or start >= spans[-1][1]):
            spans.append((start, end))
    return tuple(spans)


def is_assignment(word: str) -> bool:
    """Whether a shell reads the word as NAME=value."""
    return ASSIGNMENT.match(word) is not None
