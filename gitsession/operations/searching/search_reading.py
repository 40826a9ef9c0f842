"""The messages of a session for the index: which versions are read, and which version each message
is attributed to."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise

from gitsession import snapshot
from gitsession.errors import FormatError
from gitsession.operations import read_messages, show, sides
from gitsession.operations.searching.search_texts import entry
from gitsession.search.entries import Point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.message import Message
    from gitsession.operations.workspace import Workspace
    from gitsession.search.index import Filling

_CUTTING = ("rewrite", "compaction")
_STREAMS = "streams"


class Reader:
    """Reads sessions of one store, one after the other."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._store = workspace.store
        self._own: set[str] = set()
        self._counts: dict[str, Mapping[str, int]] = {}
        self._grows = False
        """Whether the session was read before: then it is worthwhile to cache its messages."""

    def read(
        self, filling: Filling, tips: Sequence[str], known: Mapping[str, Sequence[str]]
    ) -> None:
        """Put the messages of a session's tips, and of versions before them that hold others, into
        the index; `known` holds the versions that were read before, with their cuts."""
        self._counts = {}
        past = {tip: self._line(tip) for tip in tips if tip not in known}
        cuts = {tip: self._cuts(past[tip]) if tip in past else list(known[tip]) for tip in tips}
        needed = list(dict.fromkeys([*(cut for tip in tips for cut in cuts[tip]), *tips]))
        gone = known.keys() - set(needed)
        seen = {version.id for line in past.values() for version in line}
        if not gone <= seen:  # a branch is gone, and maybe what named its messages
            filling.start_anew()
            known = {}
        self._grows = bool(known)
        for commit in needed:
            if commit not in known:
                line = next((at for at in past.values() if commit in _ids(at)), None)
                line = self._line(commit) if line is None else line[_ids(line).index(commit) :]
                self._add(filling, line, cuts.get(commit, ()))
        filling.keep([*tips, *(commit for commit in needed if commit not in tips)])

    def _add(self, filling: Filling, line: Sequence[Version], cuts: Sequence[str]) -> None:
        commit = line[0].id
        reading = read_messages if self._grows else show
        messages = list(reading.session_of(self._workspace, commit).messages)
        point = Point(commit, self._store.is_own(commit, self._own), tuple(cuts))
        numbers = [*range(1, len(messages) + 1)]
        for name in sides.listed(self._workspace, commit):
            told = sides.session_of(self._workspace, commit, name).messages
            messages += told
            numbers += range(1, len(told) + 1)
        entries = map(entry, messages, numbers)
        filling.add(point, entries, lambda places: self._versions(line, messages, places, cuts))

    def _line(self, tip: str) -> list[Version]:
        return list(self._store.log([tip], first_parent=True))

    def _cuts(self, line: Sequence[Version]) -> list[str]:
        """Return the versions after which the past was changed, so that later ones lack some of it;
        oldest first."""
        found = [
            older.id
            for newer, older in pairwise(line)
            if _may_cut(newer, older) and not self._continues(newer, older)
        ]
        return found[::-1]

    def _continues(self, newer: Version, older: Version) -> bool:
        """Whether a version holds every record that the one before it held."""
        kept = set(self._store.tree(newer.tree).walk(_STREAMS))
        return all(row in kept for row in self._store.tree(older.tree).walk(_STREAMS))

    def _versions(
        self,
        line: Sequence[Version],
        messages: Sequence[Message],
        places: Sequence[int],
        cuts: Sequence[str],
    ) -> list[tuple[str, int]]:
        """Return, for each message, the oldest version of the line that holds it, and its time."""
        found: dict[int, Version] = {}
        left: dict[str, list[int]] = {}
        for at in sorted(places, key=lambda at: _record(messages[at])):
            left.setdefault(messages[at].stream, []).append(at)
        own = self._count(line[0])
        for newer, older in pairwise(line):
            if not any(left.values()):
                break
            held = {} if older.id in cuts else self._count(older)
            for stream, waiting in left.items():
                counted = held.get(stream if stream in own else sides.MAIN, 0)
                while waiting and _record(messages[waiting[-1]]) >= counted:
                    found[waiting.pop()] = newer
        last = [found.get(at, line[-1]) for at in places]
        return [(version.id, version.time) for version in last]

    def _count(self, version: Version) -> Mapping[str, int]:
        """Return how many records of each stream a version holds; none for a damaged version, from
        which nothing can be shown."""
        known = self._counts.get(version.id)
        if known is None:
            known = self._counts[version.id] = self._streams(version)
        return known

    def _streams(self, version: Version) -> Mapping[str, int]:
        try:
            return snapshot.decode_counts(self._store.tree(version.tree))
        except FormatError:
            return {}


def _record(message: Message) -> int:
    """Return the position of the message's record in its stream; past the end if unknown."""
    return message.record if message.record >= 0 else sys.maxsize


def _ids(line: Sequence[Version]) -> list[str]:
    return [version.id for version in line]


def _may_cut(newer: Version, older: Version) -> bool:
    return newer.trailers.get("Kind") in _CUTTING or _native(newer) != _native(older)


def _native(version: Version) -> str:
    return version.trailers.get("Native") or version.trailers.get("Session", "")
