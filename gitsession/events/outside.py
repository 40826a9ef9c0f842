"""Calls that reach beyond the project: servers, links, worktrees, questions, refusals, waiting."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession.events.answers import answers
from gitsession.events.purpose import what
from gitsession.events.refused import is_refused, reason
from gitsession.events.servers import mcp
from gitsession.events.short import line, short
from gitsession.events.used import Found, Used

_SLOW = 5.0
_TOOK = re.compile(
    r"Wall time: ([\d.]+) seconds|\bduration_ms: (\d+)|\"duration_seconds\":\s*([\d.]+)"
)
_TIMED_OUT = re.compile(r"(?:[Cc]ommand )?timed out after [^\n.]{1,40}")
_POLLED = frozenset(("write_stdin", "wait_agent", "wait", "BashOutput", "TaskOutput"))
_SAID_AT = 600


def worktree(used: Used) -> Iterator[Found]:
    if used.kind != "worktree" or used.failed:
        return
    if "exit" in used.call.call.name.lower():
        discards = used.input.get("discard_changes") is True
        told = "exited worktree" + (" (changes discarded)" if discards else "")
        yield Found("worktree_exit", "env", 2, told)
    else:
        yield Found("worktree", "env", 2, short(f"entered worktree: {used.text or 'unnamed'}", 300))


def rejected(used: Used) -> Iterator[Found]:
    """Yield a refused call, with the reason if one was given."""
    if is_refused(used) and used.kind != "plan_exit":
        why = reason(used)
        yield Found("rejected", "rejected-approach", 2,
                    short(f"{what(used)} → {why}" if why else what(used), 1_024))  # fmt: skip


def answer(used: Used) -> Iterator[Found]:
    """Yield the user's decisions on questions of the agent."""
    if used.kind == "ask":
        for question, said in answers(used):
            told = f"Q: {line(question, 500)} → A: {line(said, 500)}"
            yield Found("decision_question", "decision", 2, told)


def latency(used: Used) -> Iterator[Found]:
    """Yield how long a call took, if the tool itself reports it and it was more than five
    seconds."""
    if used.call.call.name in _POLLED:
        return
    output = used.output
    ends = output if len(output) <= 2 * _SAID_AT else output[:_SAID_AT] + output[-_SAID_AT:]
    if "timed out after" in ends and used.failed:
        found = _TIMED_OUT.search(ends)
        if found:
            yield Found("latency", "latency", 4, f"{what(used)}: {found[0]}")
            return
    took = _TOOK.search(ends) if "duration_" in ends or "Wall time" in ends else None
    if took:
        seconds = float(took[1] or took[3] or 0) or int(took[2] or 0) / 1_000
        if seconds > _SLOW:
            yield Found("latency", "latency", 4, f"{what(used)}: {seconds:.1f} s")


RULES = (mcp, worktree, rejected, answer, latency)
