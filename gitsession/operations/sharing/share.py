"""Sharing as Repository asks for it: choose remote and sessions, then plan, push, fetch, pull."""

from __future__ import annotations

import os
import re

from gitsession.errors import NotFound, SecretsFound
from gitsession.files import make_private
from gitsession.model.history import HEADS
from gitsession.operations.sharing import fetch as fetching
from gitsession.operations.sharing import push as pushing
from gitsession.store import remotes as addresses
from gitsession.store import revisions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gitsession.environment import Environment
    from gitsession.model.report import PushPlan, Transfer
    from gitsession.operations.workspace import Workspace


def remotes(workspace: Workspace) -> list[tuple[str, str]]:
    """Return (name, address) of every remote, sorted by name."""
    return list(addresses.every(workspace.store).items())


def add_remote(workspace: Workspace, name: str, url: str) -> None:
    """Add a remote. Raises UsageError, SecretsFound (a password or token in the address),
    Conflict."""
    addresses.check(url)
    clean = workspace.names.clean
    if clean(name) != name or clean(url) != url:
        raise SecretsFound(
            "the name or URL contains a secret, which would be stored in plain text",
            hint="leave it out; git asks its credential helper, or uses an ssh key",
        )
    addresses.add(workspace.store, clean(name), clean(url))


def remove_remote(workspace: Workspace, name: str) -> None:
    """Remove a remote; undo restores it with all that was fetched from it. Raises NotFound."""
    addresses.remove(workspace.store, name, workspace.directory)


def chosen_remote(workspace: Workspace, name: str = "") -> str:
    """Return the named remote, else `origin`, else the only one. Raises NotFound; a remote is never
    guessed, least of all the code repository's."""
    known = list(addresses.every(workspace.store))
    if name or len(known) == 1 or "origin" in known:
        wanted = name or ("origin" if "origin" in known else known[0])
        addresses.url(workspace.store, wanted)
        return wanted
    if known:
        raise NotFound(
            "there are several remotes", hint="name one of them", candidates=tuple(known)
        )
    raise NotFound(
        "there is no remote yet",
        hint="gitsession remote add NAME URL, with a repository made for sessions",
    )


def plan_push(
    workspace: Workspace,
    remote: str,
    sessions: tuple[str, ...],
    *,
    project: bool = False,
    everything: bool = False,
    delete: str = "",
    name: str = "",
    allow: tuple[str, ...] = (),
    allow_code_remote: bool = False,
    scrubbed: bool = False,
    audit: bool = False,
) -> PushPlan:
    """Return what a push would send; `findings` and `problems` block it. `sessions` are revisions,
    by default the current session; `project` and `everything` select all sessions of these."""
    remote = chosen_remote(workspace, remote)
    if delete:
        return pushing.plan_delete(workspace, remote, _session_there(workspace, remote, delete))
    if project or everything:
        names = _of_project(workspace) if project else _all(workspace)
    else:
        names = [_session(workspace, text) for text in sessions or ("HEAD",)]
    wishes = pushing.Wishes(name, allow, allow_code_remote, scrubbed, audit)
    return pushing.plan(workspace, remote, names, wishes)


def push(workspace: Workspace, plan: PushPlan, allow: tuple[str, ...] = ()) -> Transfer:
    return pushing.push(workspace, plan, allow)


def fetch(workspace: Workspace, remote: str = "") -> Transfer:
    return fetching.fetch(workspace, chosen_remote(workspace, remote))


def pull(workspace: Workspace, remote: str = "") -> Transfer:
    return fetching.pull(workspace, chosen_remote(workspace, remote))


def clone(environment: Environment, url: str, name: str = "") -> tuple[Path, Transfer]:
    """Create a named store next to the default one with everything from a remote; return its path.

    The default name is that of the remote's folder. Raises UsageError, Conflict, SecretsFound,
    RemoteError; then no store is left behind.
    """
    from gitsession.config import load_config, load_key
    from gitsession.operations import place

    addresses.check(url)
    path = environment.data_dir / f"{place.check_name(name or _name_in(url))}.git"
    config = place.with_author(environment, load_config(environment))
    make_private(path.parent)
    workspace, done = fetching.clone(
        environment, config, load_key(environment, config), path, _absolute(environment, url),
        "{} <{}>".format(*config.author),
    )  # fmt: skip
    workspace.store.close()
    return path, done


def _name_in(url: str) -> str:
    last = re.split(r"[/:\\]", url.rstrip("/"))[-1].removesuffix(".git")
    return re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-")[:60] or "clone"


def _absolute(environment: Environment, url: str) -> str:
    """Return a local path as an absolute one; other addresses unchanged."""
    path = os.path.join(environment.cwd, os.path.expanduser(url))
    return path if os.path.isdir(path) else url


def _session_there(workspace: Workspace, remote: str, name: str) -> str:
    """Return a session as the remote names it: it may be gone here, or have another name there."""
    if "/" not in name and workspace.store.refs(f"refs/remotes/{remote}/{name}/"):
        return name
    try:
        return _session(workspace, name)
    except NotFound as error:
        error.hint = f"gitsession fetch {remote} tells what is there now"
        raise


def _session(workspace: Workspace, text: str) -> str:
    found = revisions.resolve(workspace.store, text, workspace.directory, whole=True)
    session = found.branch.partition("/")[0]
    if not session:
        raise NotFound("no session of this store has that name", hint="gitsession list --all")
    return session


def _all(workspace: Workspace) -> list[str]:
    refs = workspace.store.refs(HEADS)
    return sorted({ref.removeprefix(HEADS).partition("/")[0] for ref in refs})


def _of_project(workspace: Workspace) -> list[str]:
    from gitsession.operations.projects import tips_here

    return sorted({tip.ref.removeprefix(HEADS).partition("/")[0] for tip in tips_here(workspace)})
