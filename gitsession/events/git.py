"""git operations: one event for each operation in a command."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession.events.commands import commands, happened, name_of
from gitsession.events.masking import without_login
from gitsession.events.script import Simple, parse
from gitsession.events.short import line, short
from gitsession.events.used import Found, Used

_CHANGES = frozenset((
    "add", "am", "apply", "bisect", "branch", "checkout", "cherry-pick", "clean", "clone",
    "commit", "fetch", "init", "merge", "mv", "pull", "push", "rebase", "remote", "reset",
    "restore", "revert", "rm", "stash", "submodule", "switch", "tag", "worktree",
))  # fmt: skip
_LOOKS = frozenset(("blame", "diff", "log", "show", "status"))
_PREPARES = frozenset(("add", "fetch"))
"""Operations that say little without the commit or merge that follows."""
_LISTS = {
    "branch": frozenset(("", "-a", "-r", "-v", "-vv", "--list", "-l", "--show-current", "--all",
                         "--contains", "--merged")),
    "tag": frozenset(("", "-l", "--list")),
    "stash": frozenset(("list", "show")),
    "remote": frozenset(("", "-v", "show", "get-url")),
    "worktree": frozenset(("list",)),
    "submodule": frozenset(("", "status")),
}  # fmt: skip
"""The first arguments with which an operation only shows things."""
_TAKES_WORD = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path",
                         "--config-env", "--super-prefix"))  # fmt: skip
_MESSAGE = re.compile(r"-[a-zA-Z]*m|--message")
_SUBSTITUTED = re.compile(r"\A\$\((.*)\)\s*\Z", re.DOTALL)
_LONGEST, _LONGEST_MESSAGE = 120, 1_024
_IN_FAILED = " (in a command that failed)"


def git(used: Used) -> Iterator[Found]:
    """Yield operations with their arguments; a commit is reported as its message (`git_commit`). If
    a command made of several failed, it is not known which of them did; the event says so."""
    if not happened(used):
        return
    for simple in commands(used):
        if name_of(simple) == "git":
            yield from _found(_operation(simple), failed=used.failed)


def _operation(simple: Simple) -> tuple[str, ...]:
    """Return the words from the operation on, without git's own options."""
    words = simple.words[1:]
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _TAKES_WORD else 1
    return words[at:]


def _found(words: tuple[str, ...], *, failed: bool) -> Iterator[Found]:
    operation, first = "".join(words[:1]), "".join(words[1:2])
    looks = operation in _LOOKS or first in _LISTS.get(operation, ())
    if operation not in _CHANGES and not looks:
        return
    message = _message(words[1:]) if operation == "commit" else ""
    if message and not failed:
        yield Found("git_commit", "git", 2, short(message, _LONGEST_MESSAGE))
        return
    shown = f"commit {message}" if message else " ".join(map(without_login, words))
    if not (failed and looks):
        priority = 4 if looks or operation in _PREPARES else 2
        yield Found("git", "git", priority, line(shown, _LONGEST) + _IN_FAILED * failed)


def _message(words: tuple[str, ...]) -> str:
    """Return the commit message, its paragraphs joined as git does it; "" if the command does not
    give one."""
    told = []
    for at, word in enumerate(words):
        if word == "--":
            break
        if _MESSAGE.fullmatch(word) and at + 1 < len(words):
            told.append(_text(words[at + 1]))
        elif word.startswith("--message="):
            told.append(_text(word.partition("=")[2]))
        elif word.startswith("-m") and not word.startswith("-m=") and len(word) > 2:
            told.append(_text(word[2:]))
    return "\n\n".join(text for text in told if text)


def _text(word: str) -> str:
    """Return a message as written, also from `$(cat <<'EOF' …)`; "" if only a shell could evaluate
    it."""
    inner = _SUBSTITUTED.match(word)
    if inner is None:
        return word.strip()
    for simple in parse(inner[1]):
        for redirect in simple.redirects:
            if name_of(simple) == "cat" and redirect.operator.startswith("<<"):
                return redirect.target.strip()
    return ""
