"""Tool calls that the user, a rule or a hook refused."""

from __future__ import annotations

import re

from gitsession.events.used import Used

_LOOKED_AT = 1_000
_REFUSED = re.compile(
    r"doesn't want to (?:proceed with this tool use|take this action)"
    r"|(?:rejected|denied|declined|cancelled|canceled|aborted) by (?:the )?user"
    r"|\b[Uu]ser (?:has )?(?:rejected|denied|declined|cancelled|canceled)"
    r"|user_?cancelled"
    r"|\[Operation Cancelled\]"
    r"|requested permissions? to .{1,200}?haven't granted"
    r"|Permission to use \S+ .{0,300}?(?:has been )?denied"
    r"|could not request permission from user"
    r"|denied by (?:policy|your|the) "
    r"|(?:hook|PreToolUse:\S*) .{0,80}?(?:blocked|denied)|[Bb]locked by (?:a )?hook"
    r"|rejected permission to use",
    re.DOTALL,
)
_WITHOUT_FLAG = re.compile(
    r"The user (?:has )?(?:rejected|denied|declined) (?:this|to run this|permission)"
    r"|\[Operation Cancelled\]"
)
"""How the answer begins if an agent does not count a refusal as an error."""
_REASON = re.compile(
    r"(?:the user said:|reason for the rejection:|with (?:the following )?feedback:"
    r"|[Rr]eason:|[Ff]eedback:)\s*(.*?)(?:\n\nNote: The user's next|\Z)",
    re.DOTALL,
)


def is_refused(used: Used) -> bool:
    """Whether the call never ran because it was refused."""
    if used.failed:
        return _REFUSED.search(used.output, 0, _LOOKED_AT) is not None
    return _WITHOUT_FLAG.match(used.output) is not None


def reason(used: Used) -> str:
    """Return the reason given for the refusal, "" if none."""
    found = _REASON.search(used.output[: 4 * _LOOKED_AT])
    return found[1].strip() if found else ""
