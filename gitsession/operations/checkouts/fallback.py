"""checkout --fallback: the last version at or before a damaged one that can be read as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession import snapshot
from gitsession.errors import FormatError, NotFound
from gitsession.model.history import HEADS, TAGS
from gitsession.store import revisions
from gitsession.store.objects import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


def last_good(workspace: Workspace, text: str) -> tuple[Version, str]:
    """Return the version that a revision means, or the nearest whole one before it, and what is
    wrong with the former ("" if nothing is). Raises NotFound if none is whole."""
    wrong = ""
    for commit in _candidates(workspace, text):
        said = damage(workspace, commit)
        if not said:
            return workspace.store.version(commit), wrong
        wrong = wrong or said
    raise NotFound(
        f"no version before {text} can be read: {wrong}",
        hint="`gitsession fsck` lists the damage, `--repair` repairs what it can",
    )


def resolved(workspace: Workspace, text: str) -> Resolved:
    """Return what a revision means, or the last good version on its branch. Raises NotFound."""
    version, wrong = last_good(workspace, text)
    if not wrong:
        return revisions.resolve(workspace.store, text, workspace.directory)
    message = revisions.message_of(text)
    stands = message <= int(version.trailers.get("Messages") or 0)
    return revisions.Resolved(version.id, "", _start(workspace, text)[1], message * stands)


def damage(workspace: Workspace, commit: str) -> str:
    """Return why a version cannot be read as a whole, "" if it can."""
    try:
        snapshot.decode(workspace.store.tree(commit))
    except FormatError as error:
        return str(error)
    return ""


def _candidates(workspace: Workspace, text: str) -> Iterator[str]:
    """Yield the version itself, those before it, and, where its history breaks off, what its branch
    was earlier according to the operation log."""
    store = workspace.store
    seen: set[str] = set()
    start, branch = _start(workspace, text)
    for commit in [start, *_earlier(workspace, branch)]:
        try:
            for version in store.log([commit], first_parent=True):
                if version.id not in seen:
                    seen.add(version.id)
                    yield version.id
        except FormatError:
            if commit not in seen:
                seen.add(commit)
                yield commit


def _start(workspace: Workspace, text: str) -> tuple[str, str]:
    """Return the commit and branch that a revision means, even if the commit itself is damaged."""
    try:
        found = revisions.resolve(workspace.store, text, workspace.directory)
        return found.commit, found.branch
    except FormatError:
        name = workspace.store.head(workspace.directory) if text in ("HEAD", "@") else text
        session = workspace.store.head(workspace.directory).partition("/")[0]
        for ref in (HEADS + name, f"{HEADS}{name}/main", f"{HEADS}{session}/{name}", TAGS + name):
            if at := workspace.store.ref(ref):
                return at, ref.removeprefix(HEADS)
        if is_id(name):
            return name, ""
        raise


def _earlier(workspace: Workspace, branch: str) -> Iterator[str]:
    for operation in workspace.store.operations() if branch else ():
        for ref, old, new in operation.refs:
            if ref == HEADS + branch:
                yield from (at for at in (new, old) if at)
