"""Used → the commands that it ran, without wrappers that only run another command (`sudo`, `bash
-c`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from gitsession.events.script import Simple, is_assignment, parse
from gitsession.events.used import Used

_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "fish", "ksh"))
_RUNNERS: dict[str, frozenset[str]] = {
    "sudo": frozenset(("-u", "-g", "-h", "-p", "-C", "-D", "-U", "--user", "--group")),
    "doas": frozenset(("-u", "-C")),
    "env": frozenset(("-u", "-C", "--unset", "--chdir")),
    "command": frozenset(),
    "builtin": frozenset(),
    "exec": frozenset(("-a",)),
    "nohup": frozenset(),
    "time": frozenset(("-f", "-o")),
    "nice": frozenset(("-n",)),
    "timeout": frozenset(("-s", "-k", "--signal", "--kill-after")),
    "stdbuf": frozenset(("-i", "-o", "-e")),
}
"""Wrappers that run the command after them, with those of their options that take a word."""
_DURATION = re.compile(r"\d[\d.]*[smhd]?")
_DEEPEST = 4
_POWERSHELL = ("powershell", "pwsh")
_WINDOWS = frozenset((*_POWERSHELL, "cmd"))


def commands(used: Used) -> tuple[Simple, ...]:
    """Return the commands that a shell ran, in order. Empty for other tools."""
    if not used.command:
        return ()
    backslash = not used.call.call.name.lower().startswith(_POWERSHELL)
    return _commands(used.command, backslash)


@lru_cache(maxsize=64)
def _commands(text: str, backslash: bool) -> tuple[Simple, ...]:
    return tuple(_unwrapped(parse(text, backslash=backslash), 0))


def happened(used: Used) -> bool:
    """Whether it is known that the commands of a shell ran: the call returned and, if it failed,
    more than one command could have failed."""
    if used.call.outcome not in ("ok", "error"):
        return False
    return not used.failed or len(commands(used)) > 1


def name_of(simple: Simple) -> str:
    """Return the program's bare name, "" if no program runs."""
    name = simple.words[0].replace("\\", "/").rsplit("/", 1)[-1] if simple.words else ""
    return name.removesuffix(".exe")


def _unwrapped(found: Iterable[Simple], depth: int) -> Iterator[Simple]:
    for one in found:
        simple = _without_runners(one)
        inner = _inner(simple) if depth < _DEEPEST else ""
        if inner:
            read = parse(inner, backslash=name_of(simple) not in _WINDOWS)
            inside = (each._replace(scope=(*simple.scope, -1, *each.scope)) for each in read)
            yield from _unwrapped(inside, depth + 1)
        else:
            yield simple


def _without_runners(simple: Simple) -> Simple:
    """Remove wrappers: `sudo -u me A=1 git push` → `git push` with the assignment A=1 before it."""
    words, assignments = list(simple.words), list(simple.assignments)
    while len(words) > 1:
        name = name_of(Simple(tuple(words[:1])))
        taking = _RUNNERS.get(name)
        if taking is None:
            break
        rest = _after_options(words[1:], taking)
        if name == "timeout" and rest and _DURATION.fullmatch(rest[0]):
            rest = rest[1:]
        while rest and name in ("env", "sudo", "doas") and is_assignment(rest[0]):
            assignments.append(rest.pop(0))
        if not rest:
            break
        words = rest
    return simple._replace(words=tuple(words), assignments=tuple(assignments))


def _after_options(words: list[str], taking: frozenset[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in taking else 1
    return words[at:]


def _inner(simple: Simple) -> str:
    """Return the text that `bash -c`, `powershell -Command` or `eval` runs, "" for other
    commands."""
    name, words = name_of(simple), simple.words
    if name == "eval":
        return " ".join(words[1:])
    if name not in _SHELLS and name not in _WINDOWS:
        return ""
    for at, word in enumerate(words[1:], 1):
        if name in _WINDOWS and word.lower() in ("-command", "-c", "/c"):
            return " ".join(words[at + 1 :])
        if name in _SHELLS and not word.startswith("--") and re.fullmatch(r"-\w*c", word):
            return words[at + 1] if at + 1 < len(words) else ""
        if not word.startswith(("-", "+", "/")):
            return ""
    return ""
