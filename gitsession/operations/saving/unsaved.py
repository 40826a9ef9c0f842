"""What the agents hold that the store does not: examined for status and diff, saved before a
checkout moves anything."""

from __future__ import annotations

from dataclasses import dataclass

from gitsession.agents import registry
from gitsession.errors import GitSessionError
from gitsession.operations import natives
from gitsession.operations.saving import save
from gitsession.operations.saving.grown import Wishes
from gitsession.operations.saving.line import Line, find_line, has_records, is_open_tip
from gitsession.operations.saving.past import Past, compare_past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent, Source
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Standing:
    """A source compared with its line: its past, and the turns that are not versions yet."""

    agent: Agent
    source: Source
    line: Line
    past: Past
    parts: tuple[Session, ...] = ()

    @property
    def records(self) -> int:
        return sum(len(stream.records) for part in self.parts for stream in part.streams)

    @property
    def size(self) -> int:
        return sum(
            len(record.data)
            for part in self.parts
            for stream in part.streams
            for record in stream.records
        )


def standing(workspace: Workspace, source: Source) -> Standing:
    """Return the standing of one source; turns without a conversation record are not counted."""
    agent = registry.get(source.agent)
    line = find_line(workspace, source)
    past = compare_past(workspace, agent, source, line)
    if past.kind in ("shrunk", "stub"):
        return Standing(agent, source, line, past)
    read = agent.read(source, past.since)
    if past.kind == "anew":
        from gitsession.operations.saving import anew

        read = (part for part, is_new in anew.added(line.native, read) if is_new)
    parts = tuple(
        part
        for part in read
        if has_records(part) and (part.turn is None or part.turn.messages or part.turn.finished)
    )
    if len(parts) == 1 and is_open_tip(workspace, line, parts[0]):
        parts = ()
    return Standing(agent, source, line, past, parts)


def source_of(workspace: Workspace, record: natives.NativeRecord) -> Source | None:
    """Return the source behind a binding, None if it is gone."""
    try:
        agent = registry.get(str(record["agent"]))
    except GitSessionError:
        return None
    native_id = str(record["native_id"])
    for source in agent.find(workspace.environment, native_id=native_id):
        if source.native_id == native_id:
            return source
    path = natives.path_of(workspace, record)
    if not path:
        return None
    from gitsession.agents.base import source_in

    return source_in(agent, path, native_id)


def save_first(workspace: Workspace, branch: str) -> tuple[str, ...]:
    """Save what the live session of `<session>/<branch>` has and the store does not; return the
    branches that grew. What cannot be read is left alone: a checkout loses nothing of it."""
    grown = []
    for record in list(natives.on_branch(workspace, branch)) if branch else ():
        if natives.untouched(workspace, record):
            continue
        source = source_of(workspace, record)
        if source is None:
            continue
        try:
            saved = save.save_one(workspace, source, Wishes(keep_head=True))
        except GitSessionError:
            continue
        if saved.versions or saved.outcome == "wip":
            grown.append(saved.branch)
    return tuple(grown)
