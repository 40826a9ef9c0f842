"""What a store remembers of a checkout: the binding, the branch, and where a save continues."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsession import snapshot
from gitsession.agents.base import Agent, Written
from gitsession.model.history import HEADS, Version
from gitsession.operations import essence, native_files, natives
from gitsession.operations.checkouts.destination import Destination

if TYPE_CHECKING:
    from gitsession.operations.checkouts.convert import Placed
    from gitsession.operations.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Made:
    """A checkout on its way: the version, the agent, the native session as bytes, the branch it
    goes to, the folder, the hash of its options, the HEAD before it, and the branch that the
    version is on. `anew` is set for a session composed from messages or a context, `backup` if the
    project's files are restored too."""

    version: Version
    agent: Agent
    written: Written
    to: Destination
    cwd: str
    options: str
    previous: str
    origin: str
    anew: Placed | None = None
    backup: str = ""


def main_last(written: Written) -> dict[Path, bytes]:
    """Return the files in writing order, main last: the session exists once all of it does."""
    files = {path: data for path, data in written.files.items() if path != written.main}
    return {**files, written.main: written.files[written.main]}


def bind(workspace: Workspace, made: Made) -> None:
    """Write binding, branch and HEAD before the native file appears: a kill in between leaves a
    branch whose session is missing, never a session that the next save takes for an unknown one.

    Raises Conflict if the branch was taken meanwhile; then nothing is changed.
    """
    record = _record(workspace, made)
    natives.bind(workspace, record)
    try:
        _move(workspace, made)
    except BaseException:
        natives.forget(workspace, record)
        raise
    if made.to.moved is not None:
        natives.hand_over(workspace, made.to.moved, made.to.moved_to)


def _move(workspace: Workspace, made: Made) -> None:
    clean, to = workspace.names.clean, made.to
    with workspace.store.transaction("checkout", workspace.directory) as change:
        if to.creates:
            change.move(clean(HEADS + to.branch), "", made.version.id)
        if to.moved is not None:
            change.move(clean(HEADS + to.moved_to), "", made.version.id)
            change.note(handed=clean(f"{natives.name_of(to.moved)}\n{to.branch}"))
        change.head(made.cwd, clean(to.branch))
        change.note(native=clean(f"{made.agent.name}/{made.written.native_id}"))
        if made.backup:
            change.note(files=made.backup)


def _record(workspace: Workspace, made: Made) -> dict[str, Any]:
    clean, written = workspace.names.clean, made.written
    main = written.files[written.main]
    if made.anew is not None:
        records = made.anew.records
    else:
        stored = snapshot.decode_head(workspace.store.tree(made.version.tree)).session
        records = stored.stream("main").count
    mac = native_files.keyed_hash(workspace.key, main)
    return {
        "agent": made.agent.name,
        "native_id": clean(written.native_id),
        "branch": clean(made.to.branch),
        "base": made.version.id,
        "path": clean(str(written.main)),
        "files": [clean(str(path)) for path in written.files if path != written.main],
        "written": {
            "bytes": len(main),
            "mac": mac,
            "records": records,
            **essence.note(made.agent, main, workspace.key),
        },
        "options": made.options,
        "from": clean(made.previous),
        "made": made.to.creates,
        "time": int(time.time()),
        **({"anew": {"turns": made.anew.turns}} if made.anew else {}),
    }


def prime(workspace: Workspace, made: Made) -> None:
    """Write the hint for the next save: it continues right after what was written, with this
    version as parent. An open version counts as finished here: its turn ends where the agent takes
    over. A session with `anew` begins its main stream from scratch and gets no such hint."""
    if made.anew is not None:
        natives.copy_findings(workspace, made.origin, workspace.names.clean(made.to.branch))
        return
    written, clean = made.written, workspace.names.clean
    head = snapshot.decode_head(workspace.store.tree(made.version.tree))
    lengths = _stream_lengths(workspace, made)
    _remember_lengths(workspace, made, lengths)
    streams = tuple(
        stream._replace(offset=lengths.get(stream.name, stream.offset))
        for stream in head.session.streams
    )
    main = written.files[written.main]
    state = {
        "commit": made.version.id,
        "base": made.version.id,
        "tree": made.version.tree,
        "head": head._replace(session=head.session._replace(streams=streams)).to_dict(),
        "agent": made.agent.name,
        "native_id": clean(written.native_id),
        "path": clean(str(written.main)),
        "tail": {"offset": len(main), "mac": workspace.mac(main[-native_files.TAIL_BYTES :])},
    }
    workspace.store.records.write("state", clean(made.to.branch), state)
    natives.copy_findings(workspace, made.origin, clean(made.to.branch))


def _remember_lengths(workspace: Workspace, made: Made, lengths: dict[str, int]) -> None:
    """Record in the binding, which outlives the hint, where the other streams end."""
    record = natives.find(workspace, made.agent.name, made.written.native_id)
    if record is not None and len(lengths) > 1:
        natives.bind(workspace, {**record, "written": {**record["written"], "streams": lengths}})


def _stream_lengths(workspace: Workspace, made: Made) -> dict[str, int]:
    """Return stream name -> bytes written for it, as the agent itself finds the streams."""
    written = made.written
    sizes = {"main": len(written.files[written.main])}
    for source in made.agent.find(workspace.environment, native_id=written.native_id):
        for name, path in source.streams.items():
            sizes[name] = len(written.files.get(path, b""))
    return sizes
