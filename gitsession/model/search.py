"""What a search over sessions answers with."""

from __future__ import annotations

from dataclasses import dataclass

ROLES = ("user", "assistant", "tool", "note", "system")
"""Whose messages can be asked for."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that holds what was looked for, or a session of which only the title does.

    `branch` is the full name of the branch that has it (`<remote>/…` in front of a fetched one),
    `version` the oldest version that holds the message, `message` its number there, 0 for a title.
    `role` is that of the message, `title` for a title; `tool` names the tool if its call or answer
    holds it. `stream` is `main`, or `subagents/<id>` for what was said to and by a subagent: there
    the message has its number. `text` is one line of it, as it is stored; `marks` are the places of
    the words in that line, from and to. `foreign` is what somebody else made.
    """

    session: str
    branch: str
    title: str
    agent: str
    project: str
    version: str
    message: int
    role: str
    tool: str
    time: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    foreign: bool = False
    archived: bool = False
    stream: str = "main"


@dataclass(frozen=True, slots=True)
class Corrected:
    """A word that stands nowhere, and those that were looked for in its place."""

    word: str
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """`total` counts all hits, of which `hits` are the first; `sessions` how many were searched.
    `notes` say, in sentences, what could not be searched."""

    hits: tuple[Hit, ...] = ()
    total: int = 0
    sessions: int = 0
    corrected: tuple[Corrected, ...] = ()
    notes: tuple[str, ...] = ()
