"""fsck: git's own check, then every version as a version: format, counts, cut strings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gitsession import snapshot
from gitsession.errors import FormatError
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.model.report import Problem
from gitsession.operations import holes
from gitsession.operations.sharing.material import Material
from gitsession.store import care, inspection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.operations.workspace import Workspace

_PREFIXES = (HEADS, REMOTES, TAGS, WIP)


def check(workspace: Workspace, secrets: bool = False) -> list[Problem]:
    """Return everything that is wrong with a store, each problem with the last good version before
    it; with `secrets` also what today's rules find unmasked.

    Every turn is joined with its strings once, however many versions hold it; records are counted
    at the tips only. Changes nothing.
    """
    found = care.fsck(workspace.store)
    files = inspection.damaged_files(workspace.store)
    # What is in a pack without an index is only missing if it is nowhere else.
    problems = [Problem("file", *row) for row in files if found or row[1] != inspection.NO_INDEX]
    problems += found
    material = Material(workspace.store)
    before: dict[str, str] = {}
    for version in _versions(workspace, problems):
        before[version.id] = version.parents[0] if version.parents else ""
        problems += _of_version(workspace, version, material)
    for version in _ends(workspace):
        problems += _counted(workspace, version)
    if secrets:
        problems += _secrets(workspace)
    return _with_last_good(workspace, list(dict.fromkeys(problems)), before)


def _versions(workspace: Workspace, problems: list[Problem]) -> Iterator[Version]:
    """Yield all versions, oldest first; history that cannot be walked becomes a problem, and the
    walk continues."""
    store = workspace.store
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    for prefix in _PREFIXES:
        for ref, at in store.refs(prefix).items():
            history: list[Version] = []
            try:
                history.extend(version for version in store.log([at]) if version.id not in seen)
            except FormatError as error:
                problems.append(Problem("ref", ref, str(error)))
            seen.update(version.id for version in history)
            problems += _gaps(history[::-1], numbers)
            yield from history[::-1]


def _gaps(history: list[Version], numbers: dict[str, int]) -> Iterator[Problem]:
    """Yield versions whose number does not follow the previous one; a trailer counts those that a
    gc dropped."""
    for version in history:
        number = _number(version, "Version")
        if not number:
            continue
        numbers[version.id] = number
        before = max((numbers.get(parent, 0) for parent in version.parents), default=0)
        if number != before + 1 + _number(version, "Thinned"):
            said = f"is version {number}, the one before is {before or 'none'}"
            yield Problem("chain", version.id, said)


def _number(version: Version, trailer: str) -> int:
    text = version.trailers.get(trailer, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _secrets(workspace: Workspace) -> Iterator[Problem]:
    """Yield what today's rules find in versions, names and tags and nobody has allowed."""
    from gitsession.operations.secrets import scan

    try:
        for finding in scan.scan(workspace, everything=True):
            said = f"{finding.rule} at {finding.place.partition(' ')[2] or finding.place}"
            yield Problem("secret", finding.place.partition(" ")[0], f"{said} stands in the open")
    except FormatError as error:
        yield Problem("secret", "", f"not everything could be scanned: {error}")


def _of_version(workspace: Workspace, version: Version, material: Material) -> Iterator[Problem]:
    if "Session" not in version.trailers:
        return
    try:
        head = snapshot.decode_head(workspace.store.tree(version.tree))
        if str(head.number) != version.trailers.get("Version"):
            yield Problem("count", version.id, "session.yaml and message number it differently")
        if str(head.session.counts.messages) != version.trailers.get("Messages", "0"):
            yield Problem("count", version.id, "session.yaml and message count messages apart")
        material.of(version)
    except FormatError as error:
        kind = "string" if "a text of" in str(error) else "format"
        yield Problem(kind, version.id, str(error))
        yield from holes.find(workspace, version)


def _ends(workspace: Workspace) -> Iterator[Version]:
    store = workspace.store
    for at in sorted({at for prefix in _PREFIXES for at in store.refs(prefix).values()}):
        try:
            yield store.version(at)
        except FormatError:
            continue  # reported by the walk


def _counted(workspace: Workspace, version: Version) -> Iterator[Problem]:
    if "Session" not in version.trailers:
        return
    try:
        tree = workspace.store.tree(version.tree)
        head = snapshot.decode_head(tree)
        for stream in head.session.streams:
            for _ in snapshot.records(tree, head, stream.name):
                pass
    except FormatError as error:
        yield Problem("count", version.id, str(error))


def _with_last_good(
    workspace: Workspace, problems: list[Problem], before: dict[str, str]
) -> list[Problem]:
    """Return the problems with their last good version; `before` maps every version that the walk
    saw to its first parent."""
    good = _LastGood(workspace, before, {problem.place for problem in problems})
    return [
        replace(problem, last_good=problem.last_good or good.of(problem.place))
        for problem in problems
    ]


class _LastGood:
    """The newest version before a place that has no problem itself, "" if there is none. Results
    are cached for every version passed: many problems may be in one line of history."""

    def __init__(self, workspace: Workspace, before: dict[str, str], bad: set[str]) -> None:
        self._workspace = workspace
        self._before = before
        self._bad = bad
        self._known: dict[str, str] = {}

    def of(self, place: str) -> str:
        if place not in self._before:
            return self._of_ref(place) if place.startswith("refs/") else ""
        passed = []
        while place in self._bad and place in self._before and place not in self._known:
            passed.append(place)
            place = self._before[place]
        found = place if place in self._before and place not in self._bad else ""
        found = self._known.get(place, found)
        self._known.update(dict.fromkeys(passed, found))
        return found

    def _of_ref(self, ref: str) -> str:
        """Return the newest good version of a ref that was not walked to its end, by reading its
        log again as far as possible."""
        try:
            for version in self._workspace.store.log([ref], first_parent=True):
                if version.id not in self._bad:
                    return version.id
        except (FormatError, ValueError):
            pass
        return ""
