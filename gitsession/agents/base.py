"""The adapter protocol, the values that pass through it, and the defaults that adapters share.

An adapter is one module per agent that ends in `AGENT = SomeAgent()`. It reads native sessions from
a given position on (one continuation per turn), derives messages and writes new native sessions.
Shared tools: `turns` (cutting), `lenient` (damaged JSON), `times`, `pairs` (calls and results).
"""

from __future__ import annotations

import os
from collections import namedtuple

from gitsession.errors import SourceUnreadable
from gitsession.files import read_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import NamedTuple

    from gitsession.agents.protocol import Agent as Agent
    from gitsession.agents.written import Target as Target
    from gitsession.agents.written import Written as Written
    from gitsession.environment import Environment
    from gitsession.model.message import Message
    from gitsession.model.session import Info, Session

    class Capabilities(NamedTuple):
        capture: bool = True
        incremental: bool = True
        subagents: bool = False
        sidecars: bool = False
        restore: bool = True
        resume: bool = True
        hooks: bool = False
        tree: bool = False
        compose: bool = False

    AnyPath = str | os.PathLike[str]

    class _Source(NamedTuple):
        agent: str
        native_id: str
        file: str
        size: int
        mtime: int
        cwd: str
        title: str
        side_files: Mapping[str, str]
        data: bytes | None
else:
    # `namedtuple`, as for the history's values: every save creates these and must start fast.
    Capabilities = namedtuple(
        "Capabilities",
        "capture incremental subagents sidecars restore resume hooks tree compose",
        defaults=(True, True, False, False, True, True, False, False, False),
    )
    Capabilities.__doc__ = "What can be done with this agent, as printed by `gitsession agents`."
    _Source = namedtuple("_Source", "agent native_id file size mtime cwd title side_files data")


class Source(_Source):
    """A native session that was found: enough to list it and decide about it, nothing read in full.

    `path` is the main file, `streams` the other streams by name, `mtime` in nanoseconds, `size` the
    main file's size in bytes, taken once. `cwd` may be "" if only reading the file would reveal it.
    `data` is the whole main file of a session that exists only in memory, None for all others.
    `file` and `side_files` are the same paths as strings, which need no `pathlib`.
    """

    __slots__ = ()

    def __new__(
        cls, agent: str, native_id: str, path: AnyPath, size: int, mtime: int, cwd: str = "",
        title: str = "", streams: Mapping[str, AnyPath] | None = None, data: bytes | None = None,
    ) -> Source:  # fmt: skip
        beside = {name: os.fspath(file) for name, file in (streams or {}).items()}
        return super().__new__(
            cls, agent, native_id, os.fspath(path), size, mtime, cwd, title, beside, data
        )

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self.file)

    @property
    def streams(self) -> Mapping[str, Path]:
        from pathlib import Path

        return {name: Path(file) for name, file in self.side_files.items()}


def __getattr__(name: str) -> object:
    """Import names that a save does not use lazily: they cost more time than a hook should wait."""
    if name in ("Target", "Written"):
        from gitsession.agents import written

        return getattr(written, name)
    if name == "Agent":
        from gitsession.agents import protocol

        return protocol.Agent
    raise AttributeError(name)


def native_bytes(agent: Agent, source: Source, offset: int, length: int) -> bytes:
    """Return native bytes at a position of the stream `main`, fewer at its end; raises OSError.

    They come from the main file, unless the adapter counts positions differently (a compressed
    file, a fork whose history begins in its parent's file, a source without a file). Such an
    adapter has a method `bytes_at(source, offset, length)`, and `length_of(source)` returns where
    the stream ends.
    """
    special = getattr(agent, "bytes_at", None)
    if special is not None:
        data: bytes = special(source, offset, length)
        return data
    return read_range(source.file, offset, length)


def home_of(agent: Agent, environment: Environment) -> str:
    """Return the folder where the agent keeps its sessions, symbolic links resolved.

    It comes from the adapter's `home_folder(environment)` if it has one, else from `home`.
    `home_folder` returns a string, so that a save need not load `pathlib`.
    """
    special = getattr(agent, "home_folder", None)
    return os.path.realpath(agent.home(environment) if special is None else special(environment))


def is_at_home(agent: Agent, environment: Environment, path: str) -> bool:
    """Whether a file, its links resolved, is in the folder where the agent keeps its sessions."""
    home = home_of(agent, environment).rstrip(os.sep)
    return os.path.realpath(path).startswith(home + os.sep)


def newest_in(agent: Agent, environment: Environment, cwd: str, after: int = 0) -> Source | None:
    """Return a folder's last changed session if it changed after `after` (nanoseconds).

    An adapter that keeps the sessions of all folders together may have a method
    `newest(environment, cwd, after)` that opens no older file: there may be thousands.
    """
    special = getattr(agent, "newest", None)
    if special is not None:
        source: Source | None = special(environment, cwd, after)
        return source
    found = agent.find(environment, cwd=cwd)
    # An empty session (new or emptied) yields to any other; `status` reports it.
    newest = max(found, key=lambda each: (each.size > 0, each.mtime), default=None)
    return newest if newest is not None and newest.mtime > after else None


def recognise_all(agent: Agent, path: Path) -> list[Source]:
    """Return every session in a file given by hand.

    If a file can hold several (an export, a database), the adapter has a method
    `recognise_all(path)`, and its `recognise` returns the first of them.
    """
    special = getattr(agent, "recognise_all", None)
    if special is not None:
        return list(special(path))
    source = agent.recognise(path)
    return [] if source is None else [source]


def source_in(agent: Agent, path: str, native_id: str) -> Source | None:
    """Return the session with that id in a file; a file's only session whatever its id.

    An adapter whose files hold one session each may have a method `recognise_file(path)`, which is
    `recognise` for a string path: a hook calls it every time and then need not load `pathlib`.
    """
    special = getattr(agent, "recognise_file", None)
    if special is not None:
        source: Source | None = special(path)
        return source
    from pathlib import Path

    found = recognise_all(agent, Path(path))
    if len(found) == 1:
        return found[0]
    return next((source for source in found if source.native_id == native_id), None)


def start_command(agent: Agent, native_id: str, cwd: str, path: str) -> tuple[str, ...]:
    """Return the command that continues a session written to the file `path`.

    It is the resume command, unless the agent must first import the file or needs other arguments
    the first time: then the adapter has a method `start_command` with the same parameters.
    """
    special = getattr(agent, "start_command", None)
    if special is not None and path:
        command: tuple[str, ...] = special(native_id, cwd, path)
        return command
    return agent.resume_command(native_id, cwd)


def native_length(agent: Agent, source: Source) -> int:
    """Return where the stream `main` ends, counted as `read` counts positions; raises OSError."""
    special = getattr(agent, "length_of", None)
    return int(special(source)) if special is not None else source.size


def settled(agent: Agent, data: bytes) -> bytes:
    """Return a record of the stream `main` in the form used to compare stored and native ones.

    It is the record itself, unless the agent rewrites its whole file and changes something in the
    past while doing so (a modification time in the head). Then the adapter has a method
    `settled(data)` that leaves that out.
    """
    special = getattr(agent, "settled", None)
    if special is not None:
        data = special(data)
    return data


def essences(agent: Agent, data: bytes) -> list[bytes]:
    """Return what each message says in a file written for an agent, or in one of its records.

    This makes the two comparable if the agent does not simply append to that file but imports it
    (see `start_command`) or rewrites it. The adapter then has a method `essences(data)`.
    """
    special = getattr(agent, "essences", None)
    return [] if special is None else list(special(data))


def written_anew(agent: Agent, source: Source) -> bool:
    """Whether the source is a document that is always written as a whole.

    What was saved of it may then have been edited anywhere. Such an adapter has a method of that
    name.
    """
    special = getattr(agent, "written_anew", None)
    return special is not None and bool(special(source))


def superseded(agent: Agent, stored: bytes, native: bytes) -> bool:
    """Whether a stored record is an earlier version of that native record.

    The native one has taken its place in a file that the agent rewrites as a whole; the adapter
    then has a method of that name. What follows the stored record may be another, later version of
    it.
    """
    special = getattr(agent, "superseded", None)
    return special is not None and bool(special(stored, native))


def within(agent: Agent, session: Session) -> Mapping[str, tuple[Message, ...]]:
    """Return the subagents' conversations embedded in the records of the main stream.

    The keys are the names of the streams that they might have been. An adapter whose agent writes
    this way has a method `within`, and `mixes(info)` that says, before the session is read, whether
    it may contain any.
    """
    special = getattr(agent, "within", None)
    return {} if special is None else dict(special(session))


def mixes(agent: Agent, info: Info) -> bool:
    """Whether `within` may find anything in a session."""
    special = getattr(agent, "mixes", None)
    return special is not None and bool(special(info))


def unreadable() -> SourceUnreadable:
    return SourceUnreadable(
        "the session file cannot be read",
        hint="check that it exists, is a regular file and is readable",
    )


def no_session(title: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"the file holds no {title} session",
        hint="give the path of a session file of a supported agent",
    )


def first_title(held: str, prompt: str) -> str:
    """Return a session's title from its first prompt: that prompt's first line.

    A bare command says nothing about the session, so the next prompt takes its place.
    """
    bare = held.startswith("/") and len(held.split(None, 1)) == 1 and "/" not in held[1:]
    return held if held and not bare else prompt.strip().split("\n", 1)[0] or held
