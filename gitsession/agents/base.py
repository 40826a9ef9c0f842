"""What an agent adapter is: the protocol, the values it speaks in, and the shared defaults.

An adapter is one module per agent that ends in `AGENT = SomeAgent()`. It reads native sessions from
a position on (one continuation per turn), derives messages, writes new native sessions. Shared
tools: `turns` (cutting), `lenient` (damaged JSON), `times`, `pairs` (calls and results).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from gitsession.environment import Environment
from gitsession.files import read_range
from gitsession.model.message import Message
from gitsession.model.session import Session


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What can be done with this agent, as `gitsession agents` prints it."""

    capture: bool = True
    incremental: bool = True
    subagents: bool = False
    sidecars: bool = False
    restore: bool = True
    resume: bool = True
    hooks: bool = False
    tree: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A native session that was found: enough to list and to decide, nothing read in full.

    `path` is the main file, `streams` the other streams by name, `mtime` in nanoseconds, `size` in
    bytes of the main file, taken once. `cwd` may be "" when only reading the file would tell.
    """

    agent: str
    native_id: str
    path: Path
    size: int
    mtime: int
    cwd: str = ""
    title: str = ""
    streams: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """Where and how a native session is to be written.

    `cwd` is the project folder the agent will be started in. `title` goes into the agent's own
    list. `foreign` leaves out system/developer records, memory, plans, file history, absolute
    paths. `native_id` is fixed by the caller only for repeatable tests.
    """

    cwd: str
    title: str = ""
    foreign: bool = False
    native_id: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A native session as bytes, before anything touches the disk: `files` maps absolute paths to
    contents, the main file last (its appearance is what makes the session exist).

    `main` is the path of the main file; `repairs` says in words what differs from what is stored,
    e.g. `2 tool calls without result marked as interrupted`.
    """

    native_id: str
    main: Path
    files: Mapping[Path, bytes]
    repairs: tuple[str, ...] = ()


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


def native_bytes(agent: Agent, source: Source, offset: int, length: int) -> bytes:
    """Native bytes at a position of the stream `main`, fewer at its end; raises OSError.

    They are the main file's, unless the adapter counts positions otherwise (a compressed file, a
    fork whose history begins in its parent's file, a source without a file): then it has a method
    `bytes_at(source, offset, length)`, and `length_of(source)` says where the stream ends.
    """
    special = getattr(agent, "bytes_at", None)
    if special is not None:
        data: bytes = special(source, offset, length)
        return data
    return read_range(source.path, offset, length)


def native_length(agent: Agent, source: Source) -> int:
    """Where the stream `main` ends, as `read` counts positions; raises OSError."""
    special = getattr(agent, "length_of", None)
    return int(special(source)) if special is not None else source.size


def settled(agent: Agent, data: bytes) -> bytes:
    """A record of the stream `main` as a stored one and a native one are compared.

    It is the record, unless the agent rewrites its file whole and with it something in the past
    (a time of change in the head): then the adapter has a method `settled(data)` without that.
    """
    special = getattr(agent, "settled", None)
    if special is not None:
        data = special(data)
    return data


def superseded(agent: Agent, stored: bytes, native: bytes) -> bool:
    """Whether a stored record is an earlier writing of that native one, which stands in its place
    in a file that the agent rewrites whole: the adapter has a method of that name then. What
    follows the stored record may be another, later writing."""
    special = getattr(agent, "superseded", None)
    return special is not None and bool(special(stored, native))
