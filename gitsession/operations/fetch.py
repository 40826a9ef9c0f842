"""fetch, pull and clone: what arrives is scanned in quarantine before any ref moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gitsession.errors import FormatError
from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.model.report import Transfer
from gitsession.operations import code_remote, guard
from gitsession.operations.material import Material, missing_versions
from gitsession.operations.push import SHARED
from gitsession.operations.workspace import Workspace
from gitsession.store import layout, remotes, transfer
from gitsession.store.names import REMOTE_TAGS

if TYPE_CHECKING:
    from gitsession.config import Config
    from gitsession.environment import Environment
    from gitsession.store.transaction import Transaction
    from gitsession.store.transfer import Fetched


def fetch(workspace: Workspace, remote: str) -> Transfer:
    """Bring what the remote has; only refs of the remote move. Raises NotFound, RemoteError."""
    url = remotes.url(workspace.store, remote)
    shared = code_remote.is_one(workspace, remote, url, ())
    fetched = transfer.fetch(workspace.store, remote, SHARED if shared else "refs/")
    return accept(workspace, fetched)


def accept(workspace: Workspace, fetched: Fetched) -> Transfer:
    """Look at what waits in quarantine, then let the refs of the remote move to it.

    Sessions with findings are kept but marked: they are masked wherever they are shown. A ref is
    not taken if it names no version, or if a secret stands in its name, in its tag's text or in a
    commit message below it: those are printed by every log.
    """
    store = workspace.store
    try:
        good, rejected = _judge_refs(workspace, fetched)
        found, notes = _scan(workspace, fetched.remote, [new for _, _, new in good])
        for ref, _, new in list(good):
            if any(store.is_ancestor(commit, store.version(new).id) for commit in found):
                good = [row for row in good if row[0] != ref]
                rejected.append((ref, "a secret stands in one of its commit messages"))
        only = [ref for ref, _, _ in good]
        done = transfer.accept(store, fetched, workspace.directory, only=only)
    except BaseException:
        transfer.discard(store, fetched)
        raise
    return replace(done, rejected=tuple(rejected), notes=tuple(notes))


def _judge_refs(
    workspace: Workspace, fetched: Fetched
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    good: list[tuple[str, str, str]] = []
    rejected: list[tuple[str, str]] = []
    for ref, old, new in fetched.updates:
        name = ref.partition(f"/{fetched.remote}/")[2]
        texts = guard.tag_texts(workspace, [new])
        if name != "README" and name.count("/") != 1:
            rejected.append((workspace.names.clean(ref), "not the name of a session's branch"))
        elif any(guard.scan_names(workspace, [name, *texts])):
            rejected.append((workspace.names.clean(ref), "a secret stands in its name or text"))
        elif not _is_version(workspace, new):
            rejected.append((ref, "it names no version"))
        else:
            good.append((ref, old, new))
    return good, rejected


def _is_version(workspace: Workspace, identity: str) -> bool:
    try:
        workspace.store.version(identity)
    except FormatError:
        return False
    return True


def _scan(workspace: Workspace, remote: str, commits: list[str]) -> tuple[set[str], list[str]]:
    """Mark the sessions that today's rules find something in. The versions with a secret in their
    message, and the notes for the person."""
    store = workspace.store
    known = [*store.refs(HEADS).values(), *store.refs(f"{REMOTES}{remote}/").values()]
    versions = missing_versions(store, commits, known)
    by_id = {version.id: version for version in versions}
    placeholders, messages, notes = set(), set(), []
    material = Material(store, known)
    try:
        for commit, place, placeholder in guard.scan_versions(workspace, versions, material):
            placeholders.add(placeholder)
            mark(workspace, by_id[commit].trailers.get("Session", ""))
            if place == guard.MESSAGE:
                messages.add(commit)
    except FormatError as error:
        notes.append(f"a fetched version is damaged: {error}")
    if placeholders:
        notes.append(
            f"{len(placeholders)} secrets were found in what was fetched; these sessions are "
            "marked and shown masked; whoever made them should change the secrets"
        )
    return messages, notes


def mark(workspace: Workspace, identity: str) -> None:
    """From now on this session (`<agent>/<native id>` of its first save) is shown masked."""
    workspace.store.records.write("marked", workspace.names.clean(identity), {})


def is_marked(workspace: Workspace, identity: str) -> bool:
    return workspace.store.records.read("marked", workspace.names.clean(identity)) is not None


def pull(workspace: Workspace, remote: str) -> Transfer:
    """fetch, then move those branches forward that lose nothing by it; tell of the others."""
    fetched = fetch(workspace, remote)
    store, clean = workspace.store, workspace.names.clean
    moved, rejected = [], list(fetched.rejected)
    with store.transaction("pull", workspace.directory) as change:
        for ref, there in store.refs(f"{REMOTES}{remote}/").items():
            local = HEADS + ref.removeprefix(f"{REMOTES}{remote}/")
            here = store.ref(local)
            if not here or here == there or store.is_ancestor(there, here):
                continue
            if store.is_ancestor(here, there):
                change.move(clean(local), here, there)
                moved.append((local, here, there))
            else:
                rejected.append((local, f"both sides went on; theirs is {remote}/{local[11:]}"))
        moved += _new_tags(workspace, change, remote)
    return replace(fetched, updated=(*fetched.updated, *moved), rejected=tuple(rejected))


def _new_tags(workspace: Workspace, change: Transaction, remote: str) -> list[tuple[str, str, str]]:
    """Tags of the remote become ours where no branch or tag of ours has the name."""
    store, made = workspace.store, []
    prefix = f"{REMOTE_TAGS}{remote}/"
    for ref, there in store.refs(prefix).items():
        name = ref.removeprefix(prefix)
        if not store.ref(TAGS + name) and not store.ref(HEADS + name):
            change.move(workspace.names.clean(TAGS + name), "", there)
            made.append((TAGS + name, "", there))
    return made


def clone(
    environment: Environment, config: Config, key: bytes, path: Path, url: str, author: str = ""
) -> tuple[Workspace, Transfer]:
    """A new store at `path` with everything of a remote named origin: its branches become ours.

    Raises Conflict if the path is taken, SecretsFound for an address with a password, RemoteError.
    """
    from gitsession.redaction import Redactor

    tidy = Redactor(key).clean
    store, fetched = transfer.clone(
        path, key, environment, tidy(url), tidy("origin"), tidy(author) if author else None
    )
    workspace = Workspace(store, environment, config, key)
    try:
        done = accept(workspace, fetched)
    except BaseException:
        store.close()
        layout.remove(store.folder)
        raise
    moved = []
    with store.transaction("clone") as change:
        for ref, there in store.refs(f"{REMOTES}origin/").items():
            name = ref.removeprefix(f"{REMOTES}origin/")
            if "/" in name:
                change.move(tidy(HEADS + name), "", there)
                moved.append((HEADS + name, "", there))
        moved += _new_tags(workspace, change, "origin")
    return workspace, replace(done, updated=tuple(moved))
