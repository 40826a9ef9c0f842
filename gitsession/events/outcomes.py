"""How tool calls ended: errors, the constraints they reveal, what resolved them, and calls in a
loop."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession.events.blame import failure
from gitsession.events.purpose import purpose, settles, what
from gitsession.events.short import line, short
from gitsession.events.tools import done
from gitsession.events.used import Found, Used

_ERROR = 1_500
_LOOP = 3
_POLLS = frozenset((
    "BashOutput", "TaskOutput", "AgentOutputTool", "TaskList", "TaskGet", "write_stdin", "wait",
    "wait_agent", "list_agents", "read_terminal", "get_terminal_output", "KillShell",
))  # fmt: skip
"""Tools that are called repeatedly with the same input because they wait for something."""
_LIMITS = re.compile(
    r"not supported|\bunsupported\b|does not support|doesn't support|not permitted|not allowed"
    r"|permission denied|access denied|connection refused|refused to|incompatible (?:with|version)"
    r"|read-only file system|network is unreachable|could not resolve host|rate limit"
    r"|no space left|requires (?:python|node|version|at least)|is not available on"
    r"|cannot (?:run|write|connect|create|execute)\b|limit reached",
    re.IGNORECASE,
)
_BEFORE, _BEHIND = 50, 200


class Outcomes:
    """Events that need more than one call; they depend on the messages alone.

    An error is resolved by the next successful call with the same purpose: the same program of a
    shell, the same file, or else the same tool with the same input.
    """

    def __init__(self) -> None:
        self._open: dict[str, dict[str, str]] = {}
        self._last: tuple[str, object] = ("", None)
        self._times = 0

    def see(self, used: Used) -> Iterator[Found]:
        """Yield the events of this call, given the calls before it."""
        wrong = failure(used)
        if wrong:
            yield Found("error_tool", "error", 2, short(f"{what(used)}\n{wrong}", _ERROR))
            yield from _constraint(wrong)
            self._open.setdefault(purpose(used), {})[what(used)] = line(wrong)
        elif self._open and done(used):
            for reached in settles(used):
                for tried, said in self._open.pop(reached, {}).items():
                    told = f"{tried}: {said} → works now"
                    yield Found("error_resolved", "error-resolution", 2, told)
        yield from self._loop(used)

    def _loop(self, used: Used) -> Iterator[Found]:
        name = used.call.call.name
        if name in _POLLS:
            return
        now = (name, used.call.call.input)
        self._times = self._times + 1 if now == self._last else 1
        self._last = now
        if self._times == _LOOP:
            told = f"{name} called {_LOOP} times in a row with the same input: {what(used)}"
            yield Found("retry_detected", "iteration-loop", 2, told)


def _constraint(wrong: str) -> Iterator[Found]:
    """Yield the limitation that an error names, with some words of context."""
    found = _LIMITS.search(wrong)
    if found:
        around = wrong[max(0, found.start() - _BEFORE) : found.end() + _BEHIND]
        yield Found("constraint_discovered", "constraint", 2, around.strip())
