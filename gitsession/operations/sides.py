"""The conversations of subagents: streams next to the main one, read as messages of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.agents.base import mixes, within
from gitsession.errors import NotFound
from gitsession.model.record import Stream
from gitsession.operations import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

SUBAGENTS = "subagents/"
MAIN = "main"


def names(streams: Mapping[str, int]) -> list[str]:
    """Return which of some streams (name -> number of records) are conversations of subagents that
    have begun."""
    return [name for name, count in streams.items() if name.startswith(SUBAGENTS) and count]


def named(streams: Mapping[str, int], said: str) -> str:
    """Return the stream that a text means: its full name, or, without the folder, what only one
    name begins or ends with. Raises NotFound."""
    known = [MAIN, *names(streams)]
    bare = said.removeprefix(SUBAGENTS)
    found = [name for name in known if said == name] or [
        name
        for name in known
        if bare and _begins(name.removeprefix(SUBAGENTS), bare.removeprefix("agent-"))
    ]
    if len(found) == 1:
        return found[0]
    what = "is ambiguous" if found else "is not one of that version"
    listed = ", ".join((found or known)[:10])
    raise NotFound(f"the stream {said!r} {what}", hint=f"one of {listed}")


def _begins(name: str, said: str) -> bool:
    return name.removeprefix("agent-").startswith(said) or name.endswith(said)


def of_revision(workspace: Workspace, found: Resolved, said: str = "") -> Session:
    """Return the session that a revision means, with its messages (`REV:N`: the first N), or with
    those of one stream alone if `said` names one. Raises NotFound."""
    if said:
        session = session_of(workspace, found.commit, said)
    else:
        session = show.session_of(workspace, found.commit)
    if not found.message:
        return session
    show.message(session, found.message)  # raises if there is none
    return session._replace(messages=session.messages[: found.message])


def session_of(workspace: Workspace, commit: str, said: str) -> Session:
    """Return the session of a version with the records and messages of one stream alone. Raises
    NotFound if there is no such stream."""
    tree = workspace.store.tree(commit)
    head = snapshot.decode_head(tree)
    stored = {stream.name: stream.count for stream in head.session.streams}
    agent = registry.get(head.session.info.agent)
    inside = _inside(workspace, commit, agent, head)
    name = named({**stored, **{other: len(told) for other, told in inside.items()}}, said)
    if name in inside:
        return head.session._replace(messages=inside[name])
    streams = tuple(
        Stream(name, tuple(snapshot.records(tree, head, name)), 0, stream.offset)
        if stream.name == name
        else stream
        for stream in head.session.streams
    )
    session = show.masked(workspace, commit, head.session._replace(streams=streams))
    side = session.stream(name)
    alone = session._replace(streams=(side._replace(name=MAIN),))
    messages = tuple(replace(message, stream=name) for message in agent.messages(alone))
    return session._replace(messages=messages)


def listed(workspace: Workspace, commit: str) -> dict[str, int]:
    """Return the subagents of a version: stream name -> number of records (of messages, if they are
    in the main stream)."""
    head = snapshot.decode_head(workspace.store.tree(commit))
    stored = {stream.name: stream.count for stream in head.session.streams}
    try:
        agent = registry.get(head.session.info.agent)
    except NotFound:
        return {name: stored[name] for name in names(stored)}
    inside = {name: len(told) for name, told in _inside(workspace, commit, agent, head).items()}
    return {**{name: stored[name] for name in names(stored)}, **inside}


def _inside(
    workspace: Workspace, commit: str, agent: Agent, head: snapshot.Head
) -> Mapping[str, tuple[Message, ...]]:
    """Return the conversations inside the main stream; it is only read if there may be any."""
    if not mixes(agent, head.session.info):
        return {}
    return within(agent, show.session_of(workspace, commit))
