"""The verbs of Repository about what happened in a session: each one straight line, as there."""

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
    """Events are derived from a version each time: nothing of them is stored."""

    _workspace: Workspace

    def resolve(self, revision: str = "HEAD") -> Resolved:
        """The one version that a text means."""
        raise NotImplementedError

    def session(self, revision: str = "HEAD", stream: str = "") -> Session:
        """The whole Session at a version."""
        raise NotImplementedError

    def stats(self, revision: str = "HEAD", stream: str = "") -> Stats:
        """What a conversation took: counts, tokens, tools, loops; a subagent's by its stream."""
        beside = 0 if stream else len(self.subagents(revision))
        return work.stats.stats(self.session(revision, stream), beside)

    def events(self, revision: str = "HEAD") -> Sequence[Event]:
        """Every event of a version (`REV:N`: up to message N), in the order in which it
        happened."""
        return work.events.every(self._workspace, self.resolve(revision)).events

    def event_list(self, revision: str = "HEAD", **asked: Any) -> EventList:
        """Those events that were asked for, see `operations.events.Asked`: the newest of the most
        important thousand, without repeats, unless `everything` is true."""
        asking = work.events.Asked(**asked)
        return work.events.chosen(self._workspace, self.resolve(revision), asking)

    def subagents(self, revision: str = "HEAD") -> Mapping[str, int]:
        """The subagents of a version by the names of their streams, with how much each has."""
        return work.sides.listed(self._workspace, self.resolve(revision).commit)

    def snapshot(self, revision: str = "HEAD", *, budget: int = 0) -> str:
        """What a model should know to go on, as XML of at most `budget` bytes (0: the usual
        number) with its last newline; always the same for a version. Raises UsageError."""
        return work.resume_snapshot.snapshot(self._workspace, self.resolve(revision), budget)

    def snapshot_for(self, call: HookCall) -> str:
        """What an agent gets whose hook says that a session starts, "" for nothing; a claim is
        made with it. See `operations.hooking.start_cases`."""
        return work.injection.give(self._workspace, call).text

    def state_block(self, revision: str = "HEAD") -> str:
        """The little that must outlast a compaction, as XML of at most 500 tokens."""
        return work.resume_snapshot.state_block(self._workspace, self.resolve(revision))
