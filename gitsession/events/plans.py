"""Plans: plan mode entered and left, and the user's verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gitsession.events.short import line, short
from gitsession.events.tools import first_text
from gitsession.events.used import Found, Used

_LEFT = "exited plan mode"
_SAID = 600
"""The characters in which an answer says yes or no; what follows repeats the plan."""
_NO = re.compile(
    r"reject|declin|denied|n't want to proceed|not approved|without approv|cancell?ed",
    re.IGNORECASE,
)
_NOT_PLANNING = re.compile(r"not (?:currently )?in plan mode|no plan (?:file|to)", re.IGNORECASE)
_YES = re.compile(r"\bapproved?\b", re.IGNORECASE)
_REASON = re.compile(
    r"(?:reason for the rejection|the user said|(?:user )?feedback):\s*(.+?)"
    r"(?:\n\nNote: The user's next message|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_APPROVED_PLAN = re.compile(r"^## Approved Plan[^\n]*:\n(.+)", re.MULTILINE | re.DOTALL)


def plan(used: Used) -> Iterator[Found]:
    """Yield the events of plan mode. An approved plan is reported with its whole text (up to 4 KB),
    a rejected one with its title and the reason."""
    if used.call.outcome == "interrupted":
        return
    if used.kind == "plan_enter" and not used.failed:
        yield Found("plan_enter", "plan", 2, "entered plan mode")
    if used.kind != "plan_exit":
        return
    said = used.output[:_SAID]
    if used.failed and _NOT_PLANNING.search(said):
        return
    yield Found("plan_exit", "plan", 2, short(f"{_LEFT}{_allowed(used.input)}", 1_024))
    text = _plan(used)
    if _NO.search(said):
        yield Found("plan_rejected", "plan", 2, _rejected(used.output, text))
    elif _YES.search(said) and not used.failed:
        yield Found("plan_approved", "plan", 1, short(text) or _nameless(used))


def _plan(used: Used) -> str:
    in_answer = _APPROVED_PLAN.search(used.output)
    return used.text or (in_answer[1] if in_answer else "")


def _nameless(used: Used) -> str:
    """Return what is known of a plan whose text is not in the session."""
    path = first_text(used.input, ("plan_path", "plan_filename", "planFilePath"))
    return line(f"plan approved: {path}" if path else "plan approved", 400)


def _rejected(output: str, plan_text: str) -> str:
    reason = _REASON.search(output)
    title = next((line.strip("# \t") for line in plan_text.splitlines() if line.strip()), "")
    told = ["plan rejected", line(title, 160), reason[1] if reason else ""]
    return short(": ".join(part for part in told if part), 1_024)


def _allowed(given: Mapping[str, object]) -> str:
    """Return the permissions that the plan asks for."""
    prompts = given.get("allowedPrompts")
    told = []
    for one in prompts if isinstance(prompts, (list, tuple)) else ():
        text = one.get("prompt") if isinstance(one, Mapping) else one
        if isinstance(text, str) and text:
            told.append(line(text))
    return f" (allowed: {', '.join(told)})" if told else ""
