"""The conversations of subagents: streams beside the main one, read as messages of their own."""

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

SUBAGENTS = "subagents/"
MAIN = "main"


def names(streams: Mapping[str, int]) -> list[str]:
    """Which of some streams (by name, with their number of records) are subagents' conversations
    that have begun."""
    return [name for name, count in streams.items() if name.startswith(SUBAGENTS) and count]


def named(streams: Mapping[str, int], said: str) -> str:
    """The stream that a text means: its name, or what only one of them begins or ends with, the
    folder left out. Raises NotFound."""
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


def session_of(workspace: Workspace, commit: str, said: str) -> Session:
    """The session of a version with the records and messages of one stream alone. Raises NotFound
    where there is none of that name."""
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
    """The subagents of a version by the names of their streams, with the number of records (of
    messages, where these stand in the main stream)."""
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
    """Conversations that stand in the main stream; it is only read where there may be any."""
    if not mixes(agent, head.session.info):
        return {}
    return within(agent, show.session_of(workspace, commit))
