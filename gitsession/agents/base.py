"""What an agent adapter is: the protocol, the values it speaks in, and the shared defaults.

An adapter is one module per agent that ends in `AGENT = SomeAgent()`. It reads native sessions from
a position on (one continuation per turn), derives messages, writes new native sessions. Shared
tools: `turns` (cutting), `lenient` (damaged JSON), `times`, `pairs` (calls and results).
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
    # Like the words of the history: every save makes them and must start fast.
    Capabilities = namedtuple(
        "Capabilities",
        "capture incremental subagents sidecars restore resume hooks tree compose",
        defaults=(True, True, False, False, True, True, False, False, False),
    )
    Capabilities.__doc__ = "What can be done with this agent, as `gitsession agents` prints it."
    _Source = namedtuple("_Source", "agent native_id file size mtime cwd title side_files data")


class Source(_Source):
    """A native session that was found: enough to list and to decide, nothing read in full.

    `path` is the main file, `streams` the other streams by name, `mtime` in nanoseconds, `size` in
    bytes of the main file, taken once. `cwd` may be "" when only reading the file would tell.
    `data` is the whole main file of a session that is only in memory, None for all others. `file`
    and `side_files` are the same paths as texts, which need no `pathlib`.
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
    """Those that a save has no use for: they cost more than a hook should wait."""
    if name in ("Target", "Written"):
        from gitsession.agents import written

        return getattr(written, name)
    if name == "Agent":
        from gitsession.agents import protocol

        return protocol.Agent
    raise AttributeError(name)


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
    return read_range(source.file, offset, length)


def home_of(agent: Agent, environment: Environment) -> str:
    """The folder where the agent keeps its sessions, symbolic links resolved.

    It is that of the method `home`, or of `home_folder(environment)`, where an adapter has one: it
    gives a text, so that a save need not load `pathlib`.
    """
    special = getattr(agent, "home_folder", None)
    return os.path.realpath(agent.home(environment) if special is None else special(environment))


def is_at_home(agent: Agent, environment: Environment, path: str) -> bool:
    """Whether a file lies in the folder where the agent keeps its sessions, through no link."""
    home = home_of(agent, environment).rstrip(os.sep)
    return os.path.realpath(path).startswith(home + os.sep)


def newest_in(agent: Agent, environment: Environment, cwd: str, after: int = 0) -> Source | None:
    """The session of a folder that changed last, if that was after a time (nanoseconds).

    An adapter whose sessions of all folders lie together may have a method `newest(environment,
    cwd, after)` that opens no file which is older: there may be thousands.
    """
    special = getattr(agent, "newest", None)
    if special is not None:
        source: Source | None = special(environment, cwd, after)
        return source
    found = agent.find(environment, cwd=cwd)
    # One that is empty yet (or was emptied) stands back: `status` tells of it.
    newest = max(found, key=lambda each: (each.size > 0, each.mtime), default=None)
    return newest if newest is not None and newest.mtime > after else None


def recognise_all(agent: Agent, path: Path) -> list[Source]:
    """Every session in a file given by hand. Where a file can hold several (an export, a database)
    the adapter has a method `recognise_all(path)`; `recognise` gives the first of them then."""
    special = getattr(agent, "recognise_all", None)
    if special is not None:
        return list(special(path))
    source = agent.recognise(path)
    return [] if source is None else [source]


def source_in(agent: Agent, path: str, native_id: str) -> Source | None:
    """The session of that id in a file; of a file with one session that one, whatever its id.

    An adapter whose files hold one session may have a method `recognise_file(path)`, which is
    `recognise` for a text: a hook asks on every call and need not load `pathlib` then.
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
    """What continues a session that was written to the file `path`: the resume command, unless the
    agent must first take the file in: then the adapter has a method `start_command` of these
    words."""
    special = getattr(agent, "start_command", None)
    if special is not None and path:
        command: tuple[str, ...] = special(native_id, cwd, path)
        return command
    return agent.resume_command(native_id, cwd)


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


def essences(agent: Agent, data: bytes) -> list[bytes]:
    """What each message says in a file that is written for an agent, or in one of its records, so
    that both can be compared where the agent does not just append to that file: it takes it in
    (see `start_command`) or writes it anew. The adapter has a method `essences(data)` then."""
    special = getattr(agent, "essences", None)
    return [] if special is None else list(special(data))


def written_anew(agent: Agent, source: Source) -> bool:
    """Whether the source is a document that is always written as a whole, so that what was saved of
    it may have been edited anywhere: the adapter has a method of that name then."""
    special = getattr(agent, "written_anew", None)
    return special is not None and bool(special(source))


def superseded(agent: Agent, stored: bytes, native: bytes) -> bool:
    """Whether a stored record is an earlier writing of that native one, which stands in its place
    in a file that the agent rewrites whole: the adapter has a method of that name then. What
    follows the stored record may be another, later writing."""
    special = getattr(agent, "superseded", None)
    return special is not None and bool(special(stored, native))


def within(agent: Agent, session: Session) -> Mapping[str, tuple[Message, ...]]:
    """Conversations of subagents that stand among the records of the main stream, by the names of
    streams that they might have been: an adapter whose agent writes so has a method `within`, and
    one `mixes(info)` that says whether a session may hold any, before it is read."""
    special = getattr(agent, "within", None)
    return {} if special is None else dict(special(session))


def mixes(agent: Agent, info: Info) -> bool:
    """Whether `within` may find something in a session."""
    special = getattr(agent, "mixes", None)
    return special is not None and bool(special(info))


def unreadable() -> SourceUnreadable:
    return SourceUnreadable(
        "the session file cannot be read",
        hint="check that it exists, is a plain file and may be read by you",
    )


def no_session(title: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"the file holds no {title} session",
        hint="give the path of a session file of a supported agent",
    )


def first_title(held: str, prompt: str) -> str:
    """What a session is called by what was asked in it: the first line of the first prompt. A bare
    command says nothing about the session, so the next prompt takes its place."""
    bare = held.startswith("/") and len(held.split(None, 1)) == 1 and "/" not in held[1:]
    return held if held and not bare else prompt.strip().split("\n", 1)[0] or held
