"""Whether a remote is the one that the code itself is pushed to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from gitsession import project
from gitsession.errors import Conflict
from gitsession.store import transfer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace


def is_one(workspace: Workspace, remote: str, url: str, folders: Iterable[str]) -> bool:
    """Whether `url` (as given, or as git would rewrite it) is a remote of the code repository of
    this directory or of one of the sessions' folders, or that repository itself."""
    ours = {_same(url), _same(transfer.real_url(workspace.store, remote))}
    places = {workspace.directory, *(f for f in folders if os.path.isabs(f) and os.path.isdir(f))}
    for folder in places:
        for code in project.remotes(folder, workspace.environment):
            if _same(code, folder) in ours:
                return True
        found = project.repository_of(os.path.realpath(folder))
        if found is not None and _same(found[0]) in ours | {_same(found[1])} & ours:
            return True
    return False


def _same(url: str, folder: str = "") -> str:
    """Return one form for all spellings of an address: `host/path`, or a local one's real path."""
    normal = project.normalise_remote(url)
    if normal:
        return normal
    path = unquote(urlsplit(url).path) if url.startswith("file:") else os.path.expanduser(url)
    return os.path.realpath(os.path.join(folder, path)).removesuffix(".git").rstrip("/")


def refused(problems: tuple[str, ...]) -> Conflict:
    return Conflict(
        "the push was refused: " + "; ".join(problems),
        hint="gitsession remote add NAME URL with a repository of its own for sessions",
    )
