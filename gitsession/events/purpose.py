"""The purpose of a call: the name by which the next attempt at the same thing is recognised."""

from __future__ import annotations

import re

from gitsession.events.commands import commands
from gitsession.events.masking import masked_command, without_login
from gitsession.events.short import line
from gitsession.events.used import Used

_NEUTRAL = frozenset((
    "", "cd", "pushd", "popd", "export", "source", ".", "set", "unset", "sleep", "mkdir", "true",
    "pwd", "echo", "printf", "fi", "done", "esac", "}", "for", "case", "in", "break", "continue",
))  # fmt: skip
_OF_VERBS = frozenset((
    "git", "gh", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "go", "docker", "kubectl", "make",
    "mise", "poetry", "pip", "pip3", "brew", "apt", "apt-get", "systemctl", "terraform", "dotnet",
    "gradle", "gradlew", "mvn", "just", "task", "rustup", "conda", "hatch", "tox", "nx", "turbo",
))  # fmt: skip
"""Programs whose first word (a subcommand) says what they do."""
_RUNNERS = frozenset((
    "uv", "npx", "bunx", "pnpx", "python", "python3", "node", "ruby", "perl", "tsx", "xargs",
))  # fmt: skip
"""Programs that run another program, which is the one that counts."""
_SKIPPED = frozenset(("run", "exec", "-m", "tool", "dlx", "--"))
_RUNS = re.compile(r"\ACommand: (?:\S*sh -\w*c )?(.*?)\n(?:Chunk ID|Wall time):", re.DOTALL)
"""How Codex names the running command that a later call continues with."""
_LONGEST = 2_000
_SIEVES = r"(?:grep|egrep|rg|tail|head|sort|uniq|wc|tee|cat|sed|awk|less)\b"
_SIEVE = re.compile(rf"(?: 2>&1)? ?\| ?{_SIEVES}")
_REST = re.compile(rf"[^|&;\n]*(?:\| ?{_SIEVES}[^|&;\n]*)*\Z")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_OPTION = re.compile(
    r"((?<!\S)--?[\w-]*(?:token|passw|secret|auth(?!or)|cred|api-?key|otp)[\w-]*(?:=|\s+))"
    r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s;&|)\"'-][^\s;&|)]*)",
    re.IGNORECASE,
)
"""Options that take a secret, with its value."""
LOOKS = frozenset((
    "cat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "sed", "awk",
    "nl", "find", "fd", "ls", "tree", "wc", "jq", "cut", "sort", "uniq", "strings", "diff", "stat",
    "file", "git log", "git diff", "git show", "git blame", "git grep", "git status", "git branch",
    "gh pr", "gh issue", "gh api", "gh run", "curl", "wget", "xxd", "od", "column", "Get-Content",
    "Select-String", "type", "dir",
))  # fmt: skip
"""Programs that show what others wrote: an error in their output is not their failure."""


def what(used: Used) -> str:
    """Return what was attempted, on one line: a command without the values that it sets, else the
    tool and its most informative argument."""
    command = used.command or running(used)
    if command:
        command = _unsieved(command[:_LONGEST])
        shown = _OPTION.sub(r"\1***", masked_command(command))
        return "$ " + line(without_login(shown))
    return line(f"{used.call.call.name} {used.path or used.text}")


def _unsieved(command: str) -> str:
    """Return the command without trailing pipes that only select lines of its output."""
    quiet = _QUOTED.sub(lambda found: "q" * len(found[0]), command)
    found = _SIEVE.search(quiet)
    return command[: found.start()] if found and _REST.match(quiet, found.end()) else command


def running(used: Used) -> str:
    """Return the command that a call waited for or wrote to, "" if the output does not name it."""
    if not used.output.startswith("Command: "):
        return ""
    found = _RUNS.match(used.output[:4_000])
    return found[1].strip("'\"") if found else ""


def programs(used: Used) -> list[str]:
    """Return the programs of a command, of a pipe only the first: `cd a && git log | head` → git
    log."""
    named = (_program(simple.words) for simple in commands(used) if not simple.piped)
    return [name for name in named if name not in _NEUTRAL]


def _program(words: tuple[str, ...]) -> str:
    """`uv run pytest` → pytest, `npm run build` → npm run build, `git -C a log` → git log."""
    while len(words) > 1 and _base(words[0]) in _RUNNERS:
        at = 1
        while at < len(words) - 1 and words[at] in _SKIPPED:
            at += 1
        if words[at].startswith("-"):
            return _base(words[0])
        words = words[at:]
    if not words:
        return ""
    name = _base(words[0])
    if name not in _OF_VERBS:
        return name
    rest = words[3:] if words[1:2] in (("-C",), ("--filter",), ("--dir",)) else words[1:]
    verbs = [word for word in rest if not word.startswith("-")][:2]
    return " ".join((name, *(verbs if verbs[:1] == ["run"] else verbs[:1])))


def _base(word: str) -> str:
    return word.replace("\\", "/").rsplit("/", 1)[-1]


def purpose(used: Used) -> str:
    """Return the purpose of a call: a shell's programs, the file of a file tool, else the tool and
    its input."""
    if used.kind == "shell":
        run = programs(used)
        looks = all(program in LOOKS for program in run)
        return f"shell {used.command if looks else ' && '.join(run)}"
    if running(used):
        return f"running {used.input.get('session_id', '')}"
    if used.kind in ("read", "write", "edit") and used.path:
        return f"{'read' if used.kind == 'read' else 'change'} {used.path}"
    if used.kind == "patch":
        return "patch"
    return f"{used.call.call.name} {used.text or used.path}"


def settles(used: Used) -> tuple[str, ...]:
    """Return the purposes that a successful call fulfils: after a file is written, it need not be
    read."""
    own = purpose(used)
    if own.startswith("change "):
        return own, f"read {used.path}"
    return (own,)
