"""The exit code of a command, wherever its agent writes it, and calls judged by it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from gitsession.events.refused import is_refused
from gitsession.events.used import Used

_HEAD, _TAIL = 400, 1_000
FORM_END = re.compile(
    r"\n(?:Error: \(none\)\n)?Exit Code: (\d+|\(none\))\n(?:Signal|Background|Process).*\Z",
    re.DOTALL,
)
"""How Gemini and its derivatives end the output of a command."""
_BEGINS = re.compile(
    r"\A\s*Exit code (\d+)|^Process exited with code (\d+)$"
    r"|\Afailed in sandbox .{0,200}?exit code: (\d+)",
    re.MULTILINE,
)
_ENDS = re.compile(
    r"(?:\(?(?:Command|Process) exited with (?:code|status) (\d+)\)?"
    r"|<(?:shellId: \S+ completed|exited) with exit code (\d+)>)\s*\Z"
)


def judged(used: Used) -> Used:
    """Return `used`, marked as failed if it was refused or a shell's exit code is not 0 although
    the agent's flag does not say so."""
    if used.failed or used.call.outcome != "ok":
        return used
    if is_refused(used) or (used.kind == "shell" and exit_code(used)):
        return replace(used, failed=True)
    return used


def exit_code(used: Used) -> int | None:
    """Return the exit code, None if the agent does not report one."""
    code = _of_native(used.call.result.native if used.call.result else None)
    if code is not None:
        return code
    output = used.output
    found = (
        FORM_END.search(output, max(0, len(output) - _TAIL))
        or _ENDS.search(output, max(0, len(output) - _TAIL))
        or _BEGINS.search(output, 0, _HEAD)
    )
    digits = next((one for one in found.groups() if one), "") if found else ""
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def _of_native(native: object) -> int | None:
    """Return the exit code that OpenCode and Copilot store next to the output."""
    if not isinstance(native, Mapping):
        return None
    code = native.get("exit")
    run = native.get("shellExecution")
    if code is None and isinstance(run, Mapping):
        code = run.get("exitCode")
    return code if isinstance(code, int) and not isinstance(code, bool) else None
