"""The verbs of Repository about what happened in a session: each one a straight line, as there."""

from __future__ import annotations

from gitsession import operations as work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitsession.model.event import Event
    from gitsession.model.event_list import EventList
    from gitsession.model.session import Session
    from gitsession.model.stats import Stats
    from gitsession.operations.hooking.hook_call import HookCall
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


class EventVerbs:
    """Events are derived from a version every time; none are stored."""

    _workspace: Workspace

    def resolve(self, revision: str = "HEAD", *, whole: bool = False) -> Resolved:
        """Return the one version that a revision means."""
        raise NotImplementedError

    def session(self, revision: str = "HEAD", stream: str = "") -> Session:
        """Return the whole Session at a version."""
        raise NotImplementedError

    def stats(self, revision: str = "HEAD", stream: str = "") -> Stats:
        """Return what a conversation took: counts, tokens, tools, loops; `stream` selects a
        subagent's."""
        commit = self.resolve(revision, whole=True).commit
        beside = 0 if stream else len(self.subagents(commit))
        return work.stats.stats(self.session(commit, stream), beside)

    def events(self, revision: str = "HEAD") -> Sequence[Event]:
        """Return every event of a version (`REV:N`: up to message N), in the order in which they
        happened."""
        return work.events.every(self._workspace, self.resolve(revision)).events

    def event_list(self, revision: str = "HEAD", **asked: Any) -> EventList:
        """Return the events asked for, see `operations.events.Asked`: the newest of the thousand
        most important ones, without repeats, unless `everything` is true."""
        asking = work.events.Asked(**asked)
        return work.events.chosen(self._workspace, self.resolve(revision), asking)

    def subagents(self, revision: str = "HEAD") -> Mapping[str, int]:
        """Return the subagents of a version: stream name -> its number of records (or messages)."""
        return work.sides.listed(self._workspace, self.resolve(revision, whole=True).commit)

    def snapshot(self, revision: str = "HEAD", *, budget: int = 0) -> str:
        """Return what a model should know to continue, as XML of at most `budget` bytes (0: the
        default number) including its last newline; always the same for a version. Raises
        UsageError."""
        return work.resume_snapshot.snapshot(self._workspace, self.resolve(revision), budget)

    def snapshot_for(self, call: HookCall) -> str:
        """Return the text for an agent whose hook reports that a session starts, "" for nothing;
        this also makes a claim. See `operations.hooking.start_cases`."""
        return work.injection.give(self._workspace, call).text

    def state_block(self, revision: str = "HEAD") -> str:
        """Return the minimum that must outlast a compaction, as XML of at most 500 tokens."""
        return work.resume_snapshot.state_block(self._workspace, self.resolve(revision))
