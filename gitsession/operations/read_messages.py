"""The messages of long sessions as they were read last, so that a context needs no record again.

Derived, marked with the user's key, and named by what was read (the content of a version) and what
read it (this code): to delete it costs time only.
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
"""Messages from which on to read them takes long enough to remember them."""


def session_of(workspace: Workspace, commit: str) -> Session:
    """A version's session with its messages, as `show` has them; without records and contents."""
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
    # Of an adapter that another package brought nobody knows here when it was changed.
    if len(session.messages) >= LEAST and session.info.agent in registry.MODULES:
        head = snapshot.decode_head(workspace.store.tree(tree))
        if data := as_bytes(session.messages, json.dumps(head.to_dict())):
            files.write(name, data)
    return _bare(session)


@contextmanager
def unswept() -> Iterator[None]:
    """Without the collector of cycles: it would go through all messages many times, and nothing
    here makes cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def forget_all(workspace: Workspace) -> None:
    """What left the store for ever is not to be found here, either."""
    _files(workspace).forget_all()


def _files(workspace: Workspace) -> Sealed:
    return Sealed(workspace.environment.cache_dir / "messages", workspace.key)


def _bare(session: Session) -> Session:
    return session._replace(streams=(), sidecars=(), files=(), instructions=(), originals=())


def reader(*folders: str) -> str:
    """Form of these files, release, Python, and the state of the adapters (and of the modules in
    other folders) where somebody works on them."""
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
    """Both as plain values; empty where a message holds what is none. A text that stands in many
    messages (a file that was read again) is kept once, and is one again."""
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
    """Only what `as_bytes` made comes here: its mark was looked at."""
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
