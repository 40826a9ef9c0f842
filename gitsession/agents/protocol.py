"""The protocol of an agent adapter, for type checkers and adapter authors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info, Session


class Agent(Protocol):
    """The contract of every adapter, checked by `tests/agents/contract.py`."""

    name: str
    title: str
    capabilities: Capabilities
    constants: tuple[str, ...]
    """Names of JSON fields that repeat in every record with the same string value."""

    def home(self, environment: Environment) -> Path:
        """Return the folder that holds this agent's sessions (it may not exist)."""
        ...

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        """Yield the sessions on this machine, newest first.

        Only those of `cwd`, or only the one with that id (or unique prefix of it), or all. Never
        raises for a bad file: it is left out or yielded as it is.
        """
        ...

    def recognise(self, path: Path) -> Source | None:
        """Return the session in a file given by hand (`import`), or None if it is not ours."""
        ...

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        """Yield continuations, one per turn, in order; the last one may be unfinished.

        `since` is the head of the stored version (positions in its streams, no records): reading
        starts at `since.stream(name).offset`. None reads from the beginning. The size is taken
        once: anything appended meanwhile is left for the next save. Damaged bytes are records too.
        Raises SourceUnreadable for a file that cannot be opened or contains no session at all.
        """
        ...

    def messages(self, session: Session) -> tuple[Message, ...]:
        """Return the conversation along the active path, from 1 on; results follow their calls."""
        ...

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        """Return a new native session, repaired, with a new id, that the agent can continue."""
        ...

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:
        """Return the argument vector that continues the session, to be run in `cwd`."""
        ...


class Composer(Protocol):
    """An adapter that creates a native session from messages alone, whichever agent they came from.

    Not part of the contract that every adapter fulfils: those that compose say so in their
    capabilities.
    """

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        """Return bytes only, with a new id, as `write` does.

        Texts, pictures and calls with their one result keep their structure; tools keep their
        names; reasoning becomes text. `info` gives the start time and the branch of the code.
        """
        ...
