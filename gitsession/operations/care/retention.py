"""Which versions a thinning keeps, each with its reasons; without one it goes. Changes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from gitsession.model.care import Fate, Keep
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.store.names import REMOTE_TAGS, SHARED
from gitsession.store.objects import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.operations.workspace import Workspace

_LOCAL = (HEADS, TAGS, WIP)
_AT_REMOTES = (REMOTES, REMOTE_TAGS, SHARED)


def fates(workspace: Workspace, keep: Keep, pushed: bool) -> list[Fate]:
    """Return every version that a local ref reaches, by branch, newest first; a version shared by
    several branches belongs to the first of them, `main` before others. With `pushed`, versions
    that a remote has may go too."""
    history = _History(workspace)
    reasons = history.fixed(pushed)
    found = []
    for branch, versions in history.by_branch():
        for commit, reason in _wanted(keep, versions) if branch else ():
            reasons.setdefault(commit, []).append(f"{reason} of {branch}")
        for version in versions:
            why = tuple(dict.fromkeys(reasons.get(version.id, ())))
            found.append(_fate(version, branch, why))
    return found


def _fate(version: Version, branch: str, reasons: tuple[str, ...]) -> Fate:
    number = version.trailers.get("Version", "")
    return Fate(
        version.id, branch, int(number) if number.isdecimal() else 0, version.time,
        version.subject, reasons,
    )  # fmt: skip


def _wanted(keep: Keep, chain: list[Version]) -> Iterator[tuple[str, str]]:
    """Yield the versions that the numbers keep: the newest ones, and the newest of each of the last
    days (weeks) that have any."""
    for version in chain[: keep.last]:
        yield version.id, "last"
    for count, form, word in ((keep.daily, "%Y-%m-%d", "day"), (keep.weekly, "%G-W%V", "week")):
        days: set[str] = set()
        for version in chain:
            if len(days) >= count:
                break
            day = time.strftime(form, time.localtime(version.time))
            if day not in days:
                days.add(day)
                yield version.id, f"{word} {day}"


class _History:
    """All versions that matter, read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._store = store = workspace.store
        self._refs = {prefix: store.refs(prefix) for prefix in _LOCAL}
        commits = [store.version(at).id for refs in self._refs.values() for at in refs.values()]
        self._versions = {version.id: version for version in store.log(sorted(set(commits)))}

    def by_branch(self) -> Iterator[tuple[str, list[Version]]]:
        """Yield each branch with its own versions, newest first; finally, under an empty name,
        those on no branch: below tags, and working states."""
        seen: set[str] = set()
        for ref in sorted(self._refs[HEADS], key=_main_first):
            own = [one for one in self._chain(self._refs[HEADS][ref]) if one.id not in seen]
            seen.update(version.id for version in own)
            yield ref.removeprefix(HEADS), own
        yield "", [version for version in self._versions.values() if version.id not in seen]

    def _chain(self, commit: str) -> Iterator[Version]:
        at = self._versions.get(commit)
        while at is not None:
            yield at
            at = self._versions.get(at.parents[0]) if at.parents else None

    def fixed(self, pushed: bool) -> dict[str, list[str]]:
        """Return version -> reasons that no number can overrule."""
        found: dict[str, list[str]] = {}
        for commit, reason in self._reasons():
            found.setdefault(commit, []).append(reason)
        if not pushed:
            for commit in self._at_remotes():
                found.setdefault(commit, []).append("known to a remote")
        return found

    def _reasons(self) -> Iterator[tuple[str, str]]:
        store = self._store
        for ref, at in self._refs[HEADS].items():
            yield at, f"tip of {ref.removeprefix(HEADS)}"
            yield from self._base(at)
        for ref, at in self._refs[TAGS].items():
            yield store.version(at).id, f"tag {ref.removeprefix(TAGS)}"
        for ref, at in self._refs[WIP].items():
            yield at, f"working state of {ref.removeprefix(WIP)}"
            yield from ((parent, "under a working state") for parent in self._versions[at].parents)
        for _, record in store.records.items("heads"):
            head = str(record.get("head", ""))
            if is_id(head):
                yield head, "HEAD of a directory"
        yield from self._forks()

    def _base(self, tip: str) -> Iterator[tuple[str, str]]:
        """Yield the newest finished version: the next save builds on it."""
        for version in self._chain(tip):
            if version.trailers.get("Kind") != "open":
                yield version.id, "the next save builds on it"
                return

    def _forks(self) -> Iterator[tuple[str, str]]:
        """Yield fork points, versions that another native session continues, and commits that are
        no versions."""
        children: dict[str, int] = {}
        working = set(self._refs[WIP].values())
        for version in self._versions.values():
            if "Session" not in version.trailers:
                yield version.id, "not a session's"
            for parent in version.parents:
                children[parent] = children.get(parent, 0) + (version.id not in working)
                before = self._versions.get(parent)
                if before is not None and _native(before) != _native(version):
                    yield parent, "another native session goes on from it"
        yield from ((commit, "fork point") for commit, count in children.items() if count > 1)

    def _at_remotes(self) -> Iterator[str]:
        tips = {at for prefix in _AT_REMOTES for at in self._store.refs(prefix).values()}
        commits = sorted({self._store.version(at).id for at in tips})
        return (version.id for version in self._store.log(commits))


def _main_first(ref: str) -> tuple[str, bool, str]:
    session, _, branch = ref.rpartition("/")
    return session, branch != "main", branch


def _native(version: Version) -> str:
    trailers: Mapping[str, str] = version.trailers
    return trailers.get("Native") or trailers.get("Session", "")
