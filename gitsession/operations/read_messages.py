"""A cache of the messages of long sessions, so that a context need not read the records again.

It is derived data, authenticated with the user's key, and named after what was read (the content of
a version) and what read it (this code): deleting it costs only time.
"""

from __future__ import annotations

import gc
import json
import marshal
import os
import sys
import zlib
from contextlib import contextmanager

from gitsession import agents, snapshot
from gitsession import model as words
from gitsession.agents import registry
from gitsession.model.message import Message, Part, Usage
from gitsession.operations import show
from gitsession.operations.sealed import Sealed
from gitsession.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace

_FORM = "1"
LEAST = 500
"""From this number of messages on, reading takes long enough to be worth caching."""


def session_of(workspace: Workspace, commit: str) -> Session:
    """Return a version's session with messages, as in `show`, without records and contents."""
    if show.is_suspect(workspace, commit):
        return _bare(show.session_of(workspace, commit))
    tree = workspace.store.version(commit).tree
    name, files = f"{tree}\n{reader()}", _files(workspace)
    known = files.read(name)
    if known is not None:
        messages, text = from_bytes(known)
        head = snapshot.Head.from_dict(json.loads(text))
        return _bare(head.session)._replace(messages=messages)
    session = show.session_of(workspace, commit)
    # Nobody here knows when an adapter from another package was changed, so it is not cached.
    if len(session.messages) >= LEAST and session.info.agent in registry.MODULES:
        head = snapshot.decode_head(workspace.store.tree(tree))
        if data := as_bytes(session.messages, json.dumps(head.to_dict())):
            files.write(name, data)
    return _bare(session)


@contextmanager
def unswept() -> Iterator[None]:
    """Run without the cyclic garbage collector: it would traverse all messages many times, and
    nothing here creates cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def forget_all(workspace: Workspace) -> None:
    """Delete the cache: what has left the store for good must not be found here either."""
    _files(workspace).forget_all()


def _files(workspace: Workspace) -> Sealed:
    return Sealed(workspace.environment.cache_dir / "messages", workspace.key)


def _bare(session: Session) -> Session:
    return session._replace(streams=(), sidecars=(), files=(), instructions=(), originals=())


def reader(*folders: str) -> str:
    """Return the cache format, release, Python version, and the state of the source files of the
    adapters (and of other `folders`), which changes when somebody works on them."""
    told = [_FORM, __version__, sys.version]
    for folder in (*agents.__path__, *words.__path__, *folders):
        try:
            with os.scandir(folder) as found:
                sources = [(one.name, one.stat()) for one in found if one.name.endswith(".py")]
        except OSError:
            continue
        told += sorted(f"{name} {stat.st_mtime_ns} {stat.st_size}" for name, stat in sources)
    return "\n".join(told)


def as_bytes(messages: Sequence[Message], head: str = "") -> bytes:
    """Return messages and head as plain values, serialised; empty if a message holds something
    else. A text that occurs in many messages (a file that was read again) is stored once and is one
    object again when loaded."""
    same: dict[str, str] = {}
    rows = [
        (
            one.role,
            [
                (part.kind, same.setdefault(part.text, part.text), part.name, part.call_id,
                 part.input, part.error, part.synthetic, part.native)
                for part in one.parts
            ],
            one.time,
            one.model,
            one.native_id,
            one.stream,
            one.record,
            one.usage and tuple(one.usage),
            dict(one.extra),
        )
        for one in messages
    ]  # fmt: skip
    try:
        return zlib.compress(marshal.dumps((rows, head)), 1)
    except ValueError:
        return b""


def from_bytes(data: bytes) -> tuple[tuple[Message, ...], str]:
    """Return messages and head; only for bytes made by `as_bytes`, whose mark was verified."""
    rows, head = marshal.loads(zlib.decompress(data))  # noqa: S302
    messages = tuple(
        [
            Message(
                role, tuple([Part(*one) for one in parts]), time, model, native_id, stream, record,
                usage and Usage(*usage), extra,
            )
            for role, parts, time, model, native_id, stream, record, usage, extra in rows
        ]
    )  # fmt: skip
    return messages, head
