"""What a user asks and decides, in any language: judged by the shape of a prompt, not by its words.

The whole prompt is always an event; everything else is a guess that a reader can check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession.events.short import short
from gitsession.events.typed import typed
from gitsession.events.used import Found
from gitsession.events.words import asks, gives_role, requests, thanks

_QUESTION = re.compile(r"[?？؟¿⁇⁈]")
_SEPARATOR = re.compile(r"[,;](?!\S)|[，；、،؛]")
"""A comma between words; one inside a number or a list of arguments does not separate clauses."""
_SENTENCE = re.compile(r"[.!](?=\s|$)|[。！\n]")
_LETTER = re.compile(r"[^\W\d_]")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)
_BLOCKER = re.compile(
    r"\b(?:[A-Z]\w*)?(?:Error|Exception|error)(?:\[\w+\])?\s*:\s|\bTraceback \(most recent"
    r"|\bpanicked at\b|^[ \t]*at .+:\d+:\d+\)?$",
    re.MULTILINE,
)
_RESOLVED = re.compile(r"[✓✔✅☑🎉]|\A\s*(?:fixed|resolved|solved)\s*[:!]", re.IGNORECASE)
_GOAL = re.compile(r"\A(?:/goal\s+|(?:goal|objective)\s*:\s*)(\S.*)", re.IGNORECASE | re.DOTALL)
_PLAN = re.compile(r"\A/plan(?:\s+(.*))?\Z", re.DOTALL)

_DECISION = (15, 500)
_ROLE = (8, 120)
_SHORT_ORDER = 60
_PASTED = 1_024


def of_prompt(text: str) -> Iterator[Found]:
    """Yield the events of one prompt; none for text that no person typed, but the program
    inserted."""
    said = typed(text)
    if not said:
        return
    yield Found("user_prompt", "user-prompt", 1, short(said))
    goal, plan = _GOAL.match(said), _PLAN.match(said)
    if goal:
        yield Found("goal", "goal", 1, short(goal[1]))
    if plan:
        yield Found("plan_enter", "plan", 2, short(f"entered plan mode {plan[1] or ''}"))
    if said.startswith("/"):
        return
    if _decides(said):
        yield Found("decision", "decision", 2, short(said))
    role = _role(said)
    if role:
        yield Found("role", "role", 3, role)
    intent = _intent(said)
    if intent:
        yield Found("intent", "intent", 4, intent)
    yield from _blocked(said)
    if len(said) > _PASTED:
        yield Found("data", "data", 4, short(said, 1_024))


def _decides(said: str) -> bool:
    """Whether it has several clauses, is neither a question nor a request, and neither a word nor
    an essay."""
    if not _DECISION[0] <= len(said) <= _DECISION[1] or _QUESTION.search(said):
        return False
    words = _CODE.sub(" ", said)
    if not _SEPARATOR.search(words) or not _LETTER.search(words):
        return False
    return not (asks(said) or requests(said) or (len(said) < _SHORT_ORDER and thanks(said)))


def _role(said: str) -> str:
    """Return the first sentence if it is one clause that tells the agent who or how to be, else
    ""."""
    first = _SENTENCE.split(said, maxsplit=1)[0].strip()
    if not _ROLE[0] <= len(first) <= _ROLE[1] or _QUESTION.search(first):
        return ""
    return first if gives_role(first) and not _SEPARATOR.search(first) else ""


def _intent(said: str) -> str:
    if _QUESTION.search(_CODE.sub(" ", said)) or asks(said):
        return "investigate"
    return "implement" if len(said) < _SHORT_ORDER and _LETTER.search(said) else ""


def _blocked(said: str) -> Iterator[Found]:
    """Yield that the work is blocked or, if the prompt says both, that it is no longer blocked."""
    if _RESOLVED.search(said):
        yield Found("blocker_resolved", "blocked-on", 2, short(said, 1_024))
    elif _BLOCKER.search(said):
        yield Found("blocker", "blocked-on", 2, short(said, 1_024))
