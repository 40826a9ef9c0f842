"""A simple command, what it runs with which arguments, and how it is built."""

from __future__ import annotations

from typing import NamedTuple

_WORDS_BEFORE = frozenset(("if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"))
_SETTERS = frozenset(("export", "declare", "typeset", "local", "readonly", "env", "sudo", "set"))


class Redirect(NamedTuple):
    """`operator` is without the number before it; for a heredoc, `target` is the text."""

    operator: str
    target: str


class Simple(NamedTuple):
    """One command with its arguments, without quotes. `assignments` are those before it, as
    NAME=value; `piped` says that it reads another command's output. `scope` identifies the shell
    that it runs in: a subshell's scope begins with that of the enclosing shell."""

    words: tuple[str, ...]
    assignments: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    piped: bool = False
    scope: tuple[int, ...] = ()


class Draft:
    """A command while it is being read: add words, then take `simple()`."""

    def __init__(self, scope: tuple[int, ...], *, piped: bool) -> None:
        self._words: list[str] = []
        self._assignments: list[str] = []
        self.redirects: list[Redirect] = []
        self._piped, self._scope = piped, scope

    @property
    def empty(self) -> bool:
        return not (self._words or self._assignments or self.redirects)

    @property
    def sets(self) -> bool:
        """Whether a following word NAME=value would be an assignment."""
        return not self._words or self._words[0] in _SETTERS

    def add(self, word: str, *, assigned: bool) -> None:
        if not self._words and assigned:
            self._assignments.append(word)
        elif self._words or word not in _WORDS_BEFORE:
            self._words.append(word)

    def simple(self) -> Simple:
        words, assignments = tuple(self._words), tuple(self._assignments)
        return Simple(words, assignments, tuple(self.redirects), self._piped, self._scope)
