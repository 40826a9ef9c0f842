"""resume: which session is meant, whether it is of this project, and whether it may run here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gitsession.errors import Conflict, NotFound
from gitsession.model.history import REMOTES
from gitsession.operations.placeholders import masked_in
from gitsession.render import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.listed import SessionRow
    from gitsession.operations.workspace import Workspace

_DIGITS = 12
NEWEST = ("latest", "last", "recent")


def newest(rows: Iterable[SessionRow], belongs: Callable[[str], bool], current: str = "") -> str:
    """Return the session that `latest` means: the newest one with messages that is neither the
    current one nor archived, this project's before others. The order is the time of the newest
    record, then the id; never file times.

    Raises NotFound if there is none.
    """
    full = [row for row in rows if row.messages and row.session != current and not row.archived]
    full.sort(key=lambda row: (belongs(row.project), row.time, row.session), reverse=True)
    if not full:
        raise NotFound("there is no other session to resume", hint="gitsession list --all")
    return full[0].session


def check(
    workspace: Workspace,
    version: Version,
    belongs: Callable[[str], bool],
    *,
    project: str,
    any_project: bool = False,
    trust: bool = False,
) -> None:
    """Raises Conflict for a session of another project, and for somebody else's without consent;
    the message then states author, remote, counts and how many values are masked."""
    if project and not any_project and not belongs(project):
        raise Conflict(
            "that session belongs to another project",
            hint="--any-project resumes it here anyway",
        )
    if trust or workspace.store.is_own(version.id):
        return
    raise Conflict(
        f"that session was made by {origin_of(workspace, version)}, "
        f"{words.plural(_masked(workspace, version), 'masked value')}",
        hint="look at it with gitsession show, then run it with --trust, "
        "or gitsession checkout writes it without prompts, plans and memory",
    )


def origin_of(workspace: Workspace, version: Version) -> str:
    """Return who made a version, the remotes it came from, and its size; foreign text."""
    came = ", ".join(_remotes_with(workspace, version))
    counts = [
        words.plural(_number(version.trailers.get(name, "")), word)
        for name, word in (("Messages", "message"), ("Version", "version"))
    ]
    by = author_of(workspace, version.id)
    return f"{by}{f', from {came}' if came else ''}: {', '.join(counts)}"


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else 0


def _remotes_with(workspace: Workspace, version: Version) -> list[str]:
    """Return the remotes from which a branch with this version was fetched."""
    store, identity = workspace.store, version.trailers.get("Session", "")
    found = {
        tip.ref.removeprefix(REMOTES).partition("/")[0]
        for tip in store.tips(REMOTES)
        if tip.trailers.get("Session", "") == identity and store.is_ancestor(version.id, tip.id)
    }
    return sorted(found)


def author_of(workspace: Workspace, commit: str) -> str:
    """Return name and address from the commit's header; foreign text, to be escaped when shown."""
    data = workspace.store.reader.of_kind(commit, "commit")
    for line in data.partition(b"\n\n")[0].split(b"\n"):
        if line.startswith(b"author "):
            return line[7:].rpartition(b">")[0].decode("utf-8", "replace") + ">"
    return "nobody"


def _masked(workspace: Workspace, version: Version) -> int:
    tree = workspace.store.tree(version.tree)
    return masked_in(tree[path] for path in tree if path.startswith("streams/"))
