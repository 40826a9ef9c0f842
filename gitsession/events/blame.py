"""Whether a tool call failed, and the part of its output that says why.

The agent's own flag takes precedence. A shell's output is examined as well: behind a pipe the exit
code is that of the last command, and some agents report none.
"""

from __future__ import annotations

import re

from gitsession.events.exits import FORM_END, exit_code
from gitsession.events.purpose import LOOKS, programs
from gitsession.events.refused import is_refused
from gitsession.events.used import Used

_HEAD, _TAIL = 1_000, 4_000
_SHOWN = 600
_HINTS = (
    "rror", "ERR", "ail", "FAIL", "atal", "FATAL", "anic", "xception", "enied", "o such file",
    "not found", "Traceback", "xit code", "xit status", "xited with", "*** [", "no matches",
)  # fmt: skip
_COUNT = r"[1-9]\d*[ \t]+(?:\w+[ \t]+)?(?:failed|failures?|failing)\b"
_WRONG = re.compile(
    r"^[ \t]*(?:[\w./-]+:[ \t]*)?(?:\w*(?:Error|Exception)|error|ERROR|fatal|FATAL|panic)"
    r"(?:\[\w+\])?:[ \t]*\S"
    r"|^Traceback \(most recent call last\)"
    r"|^[ \t]*(?:--- )?FAIL(?:ED|URE)?\b(?!\s*=)"
    r"|:\d+(?::\d+)?:?[ \t]+(?:fatal[ \t]+)?error\b"
    r"|^\S+\(\d+,\d+\): error\b"
    r"|^npm (?:ERR!|error)"
    r"|^make(?:\[\d+\])?: \*\*\* "
    rf"|(?<![\d.,])\b{_COUNT}"
    r"|\b(?:[Ff]ailed|[Ff]ailures|[Ee]rrors)[ \t]*[=:][ \t]*[1-9]"
    r"|\bFound [1-9]\d* errors?\b|\([1-9]\d* errors?\b|^[1-9]\d* issues?:"
    r"|^(?:\S+: )?(?:line \d+: )?\S.{0,200}: (?:command not found|No such file or directory"
    r"|Permission denied|no matches found)\b"
    r"|^zsh:\d+: |^\(eval\):"
    r"|\bBUILD FAILED\b|\bSegmentation fault\b"
    r"|\b[Ee]xit(?:ed)?(?: with)? (?:[Cc]ode|[Ss]tatus)[ \t:=]+[1-9]\d*\b"
    r"|\A(?:collab )?spawn failed\b",
    re.MULTILINE,
)
_FINE = re.compile(
    r"(?<![\d.,])\b0[ \t]+(?:\w+[ \t]+)?(?:failed|failures?|failing|errors?)\b"
    r"|\b(?:failed|failures|errors)[ \t]*[=:][ \t]*0\b"
    r"|\b[1-9]\d*[ \t]+(?:tests?[ \t]+)?pass(?:ed|ing)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?<![\d.,])\b[1-9]\d*[ \t]+(?:\w+[ \t]+)?(?:failed|failures?|failing|errors?)\b"
    r"|\b(?:failed|failures|errors)[ \t]*[=:][ \t]*[1-9]",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\Afatal: |\A\w+: .{1,300}: (?:No such file or directory|Permission denied|Is a dir)"
)
"""What a program that only shows things prints when it fails itself."""
_STOPPED = re.compile(
    r"\s*(?:(?:Command|Operation|Tool execution) (?:was )?(?:aborted|interrupted)\.?\s*\Z"
    r"|aborted by user|\[Request interrupted by user|Interrupted\.?\s*\Z)"
)
"""The user stopped the call; that is not a failure."""
_TRAILING = re.compile(r"[ \t\r]+$", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ENVELOPE = re.compile(
    r"\A(?:Command: [\s\S]*?\n(?=Chunk ID|Wall time))?(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?"
    r"(?:Process (?:exited|running) with .*\n)?(?:Original token count: .*\n)?(?:Output:\n?)?"
)
_FORM = re.compile(r"\ACommand: [\s\S]*?\n(?:Directory: .*\n)(?:Output|Stdout): ")
"""How Gemini and its derivatives introduce the output of a command."""
_SANDBOX = re.compile(
    r"\Afailed in sandbox .{0,200}?exit code: \d+, stdout: ?(.*), stderr: ?(.*)\Z", re.DOTALL
)
_WRAPPED = re.compile(r"</?(?:tool_use_error|error)>|\AError: (?=Exit code)")
_EXIT = re.compile(
    r"\A\s*Exit code \d+\s*|\(?(?:Command|Process) exited with (?:code|status) \d+\)?\s*\Z"
    r"|\A\s*\(no output\)\s*|<(?:shellId: \S+ completed|exited) with exit code \d+>\s*\Z"
)
_SAYS_NO = frozenset((
    "grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "which", "type",
    "command", "pgrep", "git grep", "git diff", "git config", "git merge-base", "git show-ref",
    "git check-ignore", "git rev-parse", "ls", "find",
))  # fmt: skip
"""Programs whose exit code 1 means "no"."""


def failure(used: Used) -> str:
    """Return what went wrong, "" if nothing did; a refusal by the user is not a failure of the
    tool."""
    return _TRAILING.sub("", _failure(used))


def _failure(used: Used) -> str:
    if used.call.outcome in ("open", "interrupted") or is_refused(used):
        return ""
    if used.failed and _STOPPED.match(used.output):
        return ""
    if used.failed:
        return "" if _only_says_no(used) else _shown(_said(used.output)) or "failed without a word"
    if used.kind == "shell" and _reads_as_failure(used):
        return _shown(_said(used.output))
    if used.kind == "subagent" and _WRONG.match(used.output):
        return used.output[:_SHOWN]
    return ""


def _reads_as_failure(used: Used) -> bool:
    text = used.output
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    if not any(hint in text for hint in _HINTS):
        return False
    text = _without_form(_plain(text))
    run = programs(used)
    if run and all(program in LOOKS for program in run):
        return bool(_OWN.search(text))
    if _FINE.search(text) and not _COUNTED.search(text):
        return False
    return bool(_WRONG.search(text))


def _only_says_no(used: Used) -> bool:
    """Whether a negative exit code is an answer, not a failure: no match, a difference, not
    found."""
    if used.kind != "shell":
        return False
    run = programs(used)
    if not run or run[-1] not in _SAYS_NO:
        return False
    said = _said(used.output)
    return not said or (exit_code(used) == 1 and not _WRONG.search(said[:_TAIL]))


def _said(output: str) -> str:
    """Return the output without what the agent wrapped around it."""
    text = _without_form(_ENVELOPE.sub("", output, count=1))
    text = _SANDBOX.sub(r"\1\n\2", text) if text.startswith("failed in sandbox") else text
    return _EXIT.sub("", _plain(_WRAPPED.sub("", text)).strip()).strip()


def _without_form(text: str) -> str:
    found = FORM_END.search(text, max(0, len(text) - _HEAD))
    return _FORM.sub("", text[: found.start()], count=1) if found else text


def _plain(text: str) -> str:
    return _COLOURS.sub("", text) if "\x1b" in text else text


def _shown(text: str) -> str:
    """Return a long text from the first line that says what is wrong, and its end."""
    if len(text) <= 2 * _SHOWN:
        return text
    found = _WRONG.search(text)
    start = text.rfind("\n", 0, found.start() + 1) + 1 if found else 0
    if start + 2 * _SHOWN >= len(text):
        return text[start:].strip()
    return f"{text[start : start + _SHOWN].rstrip()}\n…\n{text[-_SHOWN:].lstrip()}"
