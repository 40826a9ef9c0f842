"""A session that a checkout wrote from messages: how its first save continues from its parent.

Its native file begins with what was written, so `main` starts from scratch with that; the parent's
streams stay in the tree, by reference, below `base/`. What was written is no version of its own:
the first turn that the agent added is, and its parent is the version that was checked out.
"""

from __future__ import annotations

from gitsession.snapshot import layout as names
from gitsession.snapshot.head import Head, Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.writer import Writer

BASE = "base"


def head(workspace: Workspace, commit: str, number: int) -> Head:
    """Return the head of a parent with its streams below `base/`, `number` versions into its chain.
    It is read from the version: a hint may hold a state that has what was written in `main`."""
    from gitsession.snapshot.decoding import decode_head

    version = workspace.store.version(commit)
    before = decode_head(workspace.store.tree(version.tree))
    session = before.session
    streams = tuple(stream._replace(name=_below(stream.name)) for stream in session.streams)
    unknown = dict(before.unknown)
    if "streams" in unknown:
        unknown["streams"] = {_below(name): told for name, told in unknown["streams"].items()}
    return before._replace(
        session=session._replace(streams=streams, carry={}),
        number=number,
        layouts={_below(name): _alone(before, name) for name in before.layouts},
        unknown=unknown,
    )


def tree(workspace: Workspace, commit: str, writer: Writer) -> str:
    """Return the parent's tree with its streams below `base/`; no blob is read or written."""
    parent = workspace.store.version(commit).tree
    return writer.moved(parent, names.STREAMS.rstrip("/"), BASE)


def _below(name: str) -> str:
    return f"{BASE}/{name}"


def _alone(head: Head, name: str) -> Layout:
    """Return the layout without its link to the stream `main`, which differs from here on."""
    layout = head.layout(name)
    start = {field: value.decode() for field, value in head.start(name).items()}
    if not start:
        return layout._replace(like_main=0)
    first, *rest = layout.constants or ((0, {}),)
    merged = ((0, {**start, **first[1]}),) if first[0] == 0 else ((0, start), first)
    return Layout(layout.blobs, (*merged, *rest))


def added(native: Mapping[str, Any], parts: Iterable[Session]) -> Iterator[tuple[Session, bool]]:
    """Yield each turn of the native file with whether the agent added it. What a checkout wrote is
    recognised by its number of turns: the last one may have got metadata records since."""
    written = native.get("written") or {}
    # If the agent does not just append, the file's length says nothing about what the agent makes
    # of it.
    turns, end = int(native["anew"]["turns"]), 0 if "says" in written else int(written["bytes"])
    for part in parts:
        turn = part.turn
        finished = turn is None or turn.finished
        if finished and (turns > 0 or part.stream().offset <= end):
            yield part, False
        elif part.stream().offset > end:
            yield part, True
        turns -= bool(turn and turn.messages)
