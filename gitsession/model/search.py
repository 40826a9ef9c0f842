"""The answer of a search over sessions."""

from __future__ import annotations

from dataclasses import dataclass

ROLES = ("user", "assistant", "tool", "note", "system")
"""The roles whose messages can be asked for."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that contains the words searched for, or a session in which only the title does.

    `branch` is the full name of the branch that has it (a fetched one starts with `<remote>/`),
    `version` the oldest version that contains the message, `message` its number there, 0 for a
    title. `role` is that of the message, or `title`; `tool` names the tool if the match is in its
    call or result. `stream` is `main`, or `subagents/<id>` for a subagent's conversation, in which
    `message` is then the number. `text` is one line of the message as stored; `marks` are the
    (start, end) positions of the words in that line. `foreign` marks what somebody else made.
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
    """A word that occurs nowhere, and the words that were searched for instead."""

    word: str
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """`total` counts all hits, of which `hits` are the first; `sessions` is how many were searched.
    `notes` say, in sentences, what could not be searched."""

    hits: tuple[Hit, ...] = ()
    total: int = 0
    sessions: int = 0
    corrected: tuple[Corrected, ...] = ()
    notes: tuple[str, ...] = ()
