"""fsck: git's own check, then every version as a version: format, counts, cut strings."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession import snapshot
from gitsession.errors import FormatError
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.model.report import Problem
from gitsession.operations import holes
from gitsession.operations.material import Material
from gitsession.store import care

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.operations.workspace import Workspace

_PREFIXES = (HEADS, REMOTES, TAGS, WIP)


def check(workspace: Workspace) -> list[Problem]:
    """Everything that is wrong with a store, each with the last good version before it.

    Every turn is joined with its strings once, however many versions hold it; records are counted
    at the ends of all lines. Changes nothing.
    """
    problems = care.fsck(workspace.store)
    material = Material(workspace.store)
    for version in _versions(workspace, problems):
        problems += _of_version(workspace, version, material)
    for version in _ends(workspace):
        problems += _counted(workspace, version)
    return _with_last_good(workspace, list(dict.fromkeys(problems)))


def _versions(workspace: Workspace, problems: list[Problem]) -> Iterator[Version]:
    """All versions, oldest first; what cannot be walked is a problem, and the rest goes on."""
    store = workspace.store
    seen: set[str] = set()
    for prefix in _PREFIXES:
        for ref, at in store.refs(prefix).items():
            history: list[Version] = []
            try:
                history.extend(version for version in store.log([at]) if version.id not in seen)
            except FormatError as error:
                problems.append(Problem("ref", ref, str(error)))
            seen.update(version.id for version in history)
            yield from history[::-1]


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
            continue  # named by the walk


def _counted(workspace: Workspace, version: Version) -> Iterator[Problem]:
    if "Session" not in version.trailers:
        return
    tree = workspace.store.tree(version.tree)
    try:
        head = snapshot.decode_head(tree)
        for stream in head.session.streams:
            for _ in snapshot.records(tree, head, stream.name):
                pass
    except FormatError as error:
        yield Problem("count", version.id, str(error))


def _with_last_good(workspace: Workspace, problems: list[Problem]) -> list[Problem]:
    bad = {problem.place for problem in problems}
    return [
        Problem(
            problem.kind, problem.place, problem.message,
            problem.last_good or _last_good(workspace, problem.place, bad),
        )
        for problem in problems
    ]  # fmt: skip


def _last_good(workspace: Workspace, place: str, bad: set[str]) -> str:
    try:
        for version in workspace.store.log([place], first_parent=True):
            if version.id not in bad:
                return version.id
    except (FormatError, ValueError):
        pass
    return ""
