"""diff: two versions, a version and now, or what the last turn added."""

from __future__ import annotations

from gitsession.agents import registry
from gitsession.compare import compare
from gitsession.errors import NotFound
from gitsession.model.session import Info, Session
from gitsession.operations import natives, show
from gitsession.operations.reading import joined, up_to
from gitsession.operations.saving import attach, unsaved
from gitsession.store import revisions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsession.model.diff import SessionDiff
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


def diff(workspace: Workspace, old: str, new: str) -> tuple[SessionDiff, str]:
    """Return the difference and, in words, of what. Raises NotFound, Ambiguous, FormatError."""
    store, directory = workspace.store, workspace.directory
    if revisions.is_range(old) and not new:
        first, second = revisions.resolve_range(store, old, directory)
        return _versions(workspace, first, second)
    if old and new:
        first = revisions.resolve(store, old, directory)
        return _versions(workspace, first, revisions.resolve(store, new, directory))
    if old:
        return _until_now(workspace, revisions.resolve(store, old, directory))
    return _newest(workspace, revisions.resolve(store, "HEAD", directory))


def _versions(workspace: Workspace, first: Resolved, second: Resolved) -> tuple[SessionDiff, str]:
    before, after = _side(workspace, first), _side(workspace, second)
    return compare(before, after), f"{_named(first)}..{_named(second)}"


def _named(found: Resolved) -> str:
    return f"{found.commit[:8]}:{found.message}" if found.message else found.commit[:8]


def _side(workspace: Workspace, found: Resolved) -> Session:
    """Return what is compared of a version (of `REV:N` up to message N): what its records say,
    without the records, which may be large."""
    return up_to.session_of(workspace, found)._replace(streams=())


def _whole(workspace: Workspace, commit: str) -> Session:
    return show.session_of(workspace, commit)._replace(streams=())


def _until_now(workspace: Workspace, found: Resolved) -> tuple[SessionDiff, str]:
    before = _side(workspace, found)
    after = _now(workspace, found.branch)
    if after is None:
        tip = workspace.store.ref(f"refs/heads/{found.branch}") if found.branch else ""
        after = _whole(workspace, tip or found.commit)
        return compare(before, after), f"{_named(found)} and the newest version"
    return compare(before, after), f"{_named(found)} and now, unsaved included"


def _newest(workspace: Workspace, found: Resolved) -> tuple[SessionDiff, str]:
    before = _side(workspace, found)
    after = _now(workspace, found.branch)
    if after is not None:
        return compare(before, after), "what is not saved yet"
    version = workspace.store.version(found.commit)
    if not version.parents:
        empty = Session(Info(before.info.agent, before.info.native_id))
        return compare(empty, before), "the first version (nothing is unsaved)"
    parent = _whole(workspace, version.parents[0])
    return compare(parent, before), "the last turn (nothing is unsaved)"


def _now(workspace: Workspace, branch: str) -> Session | None:
    """Return the newest version of a branch followed by the unsaved turns of its source; None if
    nothing is unsaved. Secrets in them are masked as in a save."""
    record = natives.bound_to(workspace, branch) if branch else None
    source = unsaved.source_of(workspace, record) if record else None
    if source is None:
        return None
    try:
        stands = unsaved.standing(workspace, source)
    except NotFound:
        return None
    if not stands.parts or not stands.line.tip:
        return None
    redactor = workspace.redactor()
    session = show.session_of(workspace, stands.line.base or stands.line.tip)
    parts = stands.parts
    if stands.past.kind == "anew":  # its main stream begins with what the checkout wrote
        session = session._replace(streams=())
        parts = tuple(stands.agent.read(source, None))
    for part in _with_changes(workspace, stands, parts):
        redacted = redactor.redact(part).session
        session = joined.joined(session, redacted)
    agent = registry.get(session.info.agent)
    return session._replace(messages=agent.messages(session))


def _with_changes(
    workspace: Workspace, stands: unsaved.Standing, parts: tuple[Session, ...]
) -> Iterator[Session]:
    """Yield the unsaved turns with what a save would capture of the project now."""
    if workspace.config["capture.files"] != "changed":
        yield from (part._replace(info=part.info._replace(changed_from="")) for part in parts)
        return
    from gitsession.operations.saving.capture import Capture
    from gitsession.operations.saving.grown import Grown

    line = stands.line
    capture = Capture(workspace, stands.agent, stands.source, line, Grown(line, line.head))
    for part, _ in capture.add((part, "wip") for part in parts):
        root = workspace.project(part.info.cwd).root
        yield attach.withhold(workspace, part, root)
