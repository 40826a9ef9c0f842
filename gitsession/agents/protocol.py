"""The protocol of an agent adapter, for type checkers and for who writes one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info, Session


class Agent(Protocol):
    """The contract that `tests/agents/contract.py` checks for every adapter."""

    name: str
    title: str
    capabilities: Capabilities
    constants: tuple[str, ...]
    """Names of JSON fields that repeat in every record with the same string value."""

    def home(self, environment: Environment) -> Path:
        """The folder that holds this agent's sessions (it may not exist)."""
        ...

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        """Sessions on this machine, newest first: those of `cwd` only, or that one id (or unique
        prefix of it), or all. Never raises for a bad file: it is left out or yielded as it is."""
        ...

    def recognise(self, path: Path) -> Source | None:
        """The session in a file given by hand (`import`), or None if it is not of this agent."""
        ...

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        """Continuations, one per turn, in order; the last one may be unfinished.

        `since` is the head of the stored version (positions in its streams, no records): reading
        starts at `since.stream(name).offset`. None reads from the beginning. The size is taken
        once: what is appended meanwhile is left for the next save. Damaged bytes are records too.
        Raises SourceUnreadable for a file that cannot be opened or holds no session at all.
        """
        ...

    def messages(self, session: Session) -> tuple[Message, ...]:
        """The conversation along the active path, from 1 on; a tool result sits with its call."""
        ...

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        """A new native session with a new id that the agent can continue; repaired on the way."""
        ...

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:
        """The argument vector that continues the session, to be run in `cwd`."""
        ...


class Composer(Protocol):
    """An adapter that makes a native session from messages alone, whoever held them.

    Not part of the contract that every adapter fulfils: those that can say so in their
    capabilities."""

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        """Bytes only, with a new id, as `write` gives them. Texts, calls with their one result,
        and pictures keep their structure; tools keep their names; what a model thought is text.
        `info` says when it began, on which branch of the code."""
        ...
