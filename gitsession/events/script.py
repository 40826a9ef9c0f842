"""A shell command → the simple commands that it runs, as a shell would see them.

Knows quotes, `$( )`, backticks, heredocs, comments, redirections, and what separates commands.
Nothing is expanded: `$HOME` stays `$HOME`. What is not closed ends with the text.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

from gitsession.events.script_reader import ASSIGNMENT, Script, TooDeep
from gitsession.events.simple import Redirect as Redirect
from gitsession.events.simple import Simple as Simple

LARGEST = 1 << 16
"""Characters that are looked at; what a longer command runs after that is not told."""


@lru_cache(maxsize=64)
def parse(command: str, *, backslash: bool = True) -> tuple[Simple, ...]:
    """Every simple command in the order of the text, those of `$( )` right behind the one they
    stand in; values of assignments are not looked into. Never raises. Without `backslash` that
    sign is one as any other, as in PowerShell."""
    script = Script(command[:LARGEST], backslash, ())
    with suppress(TooDeep):
        script.run(0)
    return tuple(draft.simple() for draft in script.drafts if not draft.empty)


def values(command: str) -> tuple[tuple[int, int], ...]:
    """Where the values of all assignments of a command stand, in order, none inside another. What
    is too long or too deep to be read counts as one."""
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
    """Whether a shell takes the word for NAME=value."""
    return ASSIGNMENT.match(word) is not None
