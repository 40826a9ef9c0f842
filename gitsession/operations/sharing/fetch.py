"""fetch, pull and clone: whatever arrives is scanned before any ref moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gitsession.errors import FormatError
from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.model.report import Transfer
from gitsession.operations import homes, names, natives
from gitsession.operations.sharing import code_remote, guard
from gitsession.operations.sharing.material import Material, missing_versions
from gitsession.operations.sharing.push import SHARED
from gitsession.operations.workspace import Workspace
from gitsession.render.words import plural
from gitsession.store import drop, layout, remotes, transfer
from gitsession.store.names import REMOTE_TAGS, folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.config import Config
    from gitsession.environment import Environment
    from gitsession.model.finding import Clean
    from gitsession.store.transaction import Transaction
    from gitsession.store.transfer import Fetched


def fetch(workspace: Workspace, remote: str) -> Transfer:
    """Fetch what the remote has; only refs of the remote move. Raises NotFound, RemoteError."""
    url = remotes.url(workspace.store, remote)
    shared = code_remote.is_one(workspace, remote, url, ())
    with workspace.store.at_work(), workspace.store.fetching():
        fetched = transfer.fetch(workspace.store, remote, SHARED if shared else "refs/")
        done = accept(workspace, fetched)
    _drop_scrubbed(workspace, done)
    return done


_SCRUBBED = "it holds a value that you scrubbed"


def _drop_scrubbed(workspace: Workspace, done: Transfer) -> None:
    """Drop the objects of refs that would have brought a scrubbed value back."""
    if any(reason == _SCRUBBED for _, reason in done.rejected):
        with drop.alone(workspace.store, workspace.config["lock.timeout"]):
            drop.drop_unreachable(workspace.store)


def accept(workspace: Workspace, fetched: Fetched) -> Transfer:
    """Scan what arrived, then let the refs of the remote move to it.

    Versions with findings are kept but marked, and masked wherever they are shown. A ref is
    rejected if it names no version, or if there is a secret in its name, in its tag's text or in a
    commit message below it: every log prints those. It is also rejected if a version below it is
    damaged or holds a scrubbed value, if its name is not that of a session's branch, or if it would
    be the same file as another ref.
    """
    good, rejected = _judge_refs(workspace, fetched)
    refused, notes = _scan(workspace, fetched.remote, [new for _, _, new in good])
    only = []
    for ref, _, new in good:
        reasons = _reasons(workspace, refused, new)
        rejected += [(ref, reason) for reason in reasons[:1]]
        only += [] if reasons else [ref]
    done = transfer.accept(workspace.store, fetched, workspace.directory, only=only)
    return replace(done, rejected=tuple(rejected), notes=tuple(notes))


_HEX = len("01234567__")


def _judge_refs(
    workspace: Workspace, fetched: Fetched
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    good: list[tuple[str, str, str]] = []
    rejected: list[tuple[str, str]] = []
    twins = _Twins(workspace, fetched.remote)
    for ref, old, new in fetched.updates:
        name = ref.partition(f"/{fetched.remote}/")[2]
        texts = guard.tag_texts(workspace, [new])
        if name != "README" and name.count("/") != 1:
            rejected.append((workspace.names.clean(ref), "not the name of a session's branch"))
        elif any(guard.scan_names(workspace, [name, *texts])):
            rejected.append((workspace.names.clean(ref), "a secret stands in its name or text"))
        elif not _is_version(workspace, new):
            rejected.append((ref, "it names no version"))
        elif twin := twins.of(ref):
            rejected.append((ref, f"on this file system {twin} has that name"))
        else:
            good.append((ref, old, new))
    return good, rejected


class _Twins:
    """Refs of a remote that would be the same file here, on a file system that ignores case or
    accents. The first one stays; the other can be renamed by whoever made it."""

    def __init__(self, workspace: Workspace, remote: str) -> None:
        self._known: dict[str, str] = {}
        self._folds = workspace.store.ref_files.folds
        if self._folds:
            for prefix in (f"{REMOTES}{remote}/", f"{REMOTE_TAGS}{remote}/"):
                for ref in workspace.store.refs(prefix):
                    self.of(ref)

    def of(self, ref: str) -> str:
        """Return the conflicting ref; "" if there is none: then this one is taken from now on."""
        if not self._folds:
            return ""
        for path in (ref.rpartition("/")[0], ref):
            known = self._known.setdefault(folded(path), path)
            if known != path:
                return known.split("/", 3)[3] if known.startswith(REMOTES) else known
        return ""


def _reasons(workspace: Workspace, refused: dict[str, str], identity: str) -> list[str]:
    if not refused:
        return []
    history = workspace.store.log([workspace.store.version(identity).id])
    return [refused[version.id] for version in history if version.id in refused]


def _is_version(workspace: Workspace, identity: str) -> bool:
    try:
        workspace.store.version(identity)
    except FormatError:
        return False
    return True


def _scan(
    workspace: Workspace, remote: str, commits: list[str]
) -> tuple[dict[str, str], list[str]]:
    """Mark the versions in which today's rules find something. Return the versions that no ref may
    bring in, with the reason, and the notes for the user."""
    if not commits:
        return {}, []
    store = workspace.store
    known = [*store.refs(HEADS).values(), *store.refs(f"{REMOTES}{remote}/").values()]
    versions = missing_versions(store, commits, known)
    placeholders, refused = set(), {}
    scrubbed = {name[-_HEX:] for name in workspace.denied_placeholders()}
    for commit, place, placeholder in guard.scan_versions(
        workspace, versions, Material(store, known)
    ):
        if place == guard.DAMAGED:
            refused[commit] = "one of its versions is damaged"
            continue
        if placeholder[-_HEX:] in scrubbed:
            refused[commit] = _SCRUBBED
            continue
        placeholders.add(placeholder)
        store.records.write("marked", commit, {"remote": workspace.names.clean(remote)})
        if place == guard.MESSAGE:
            refused[commit] = "a secret stands in one of its commit messages"
    notes = []
    if placeholders:
        notes.append(
            f"{plural(len(placeholders), 'secret')} found in what was fetched; what others made is "
            "shown masked from now on; whoever made it should change the secrets"
        )
    return refused, notes


def pull(workspace: Workspace, remote: str) -> Transfer:
    """Fetch, then fast-forward the branches that lose nothing by it; report the others. A native
    session that continued such a branch here continues on a branch of its own."""
    fetched = fetch(workspace, remote)
    store, clean = workspace.store, workspace.names.clean
    moved, rejected, aside = [], list(fetched.rejected), []
    with store.transaction("pull", workspace.directory) as change:
        for ref, there in store.refs(f"{REMOTES}{remote}/").items():
            local = HEADS + ref.removeprefix(f"{REMOTES}{remote}/")
            here = store.ref(local)
            if not here or here == there or store.is_ancestor(there, here):
                continue
            if store.is_ancestor(here, there):
                change.move(clean(local), here, there)
                moved.append((local, here, there))
                aside += _step_aside(workspace, change, remote, local.removeprefix(HEADS), here)
            else:
                rejected.append(
                    (local, f"both sides have new versions; theirs is {remote}/{local[11:]}")
                )
        moved += _new_tags(workspace, change, remote)
        if aside:
            lines = [f"{natives.name_of(record)}\n{branch}" for record, branch, _ in aside]
            change.note(handed=clean("\n".join(lines)))
    for record, _, own in aside:
        natives.hand_over(workspace, record, own)
    notes = [f"the session on {branch} continues here as {own}" for _, branch, own in aside]
    return replace(
        fetched,
        updated=(*fetched.updated, *moved),
        rejected=tuple(rejected),
        notes=(*fetched.notes, *notes),
    )


def _step_aside(
    workspace: Workspace, change: Transaction, remote: str, branch: str, here: str
) -> list[tuple[natives.NativeRecord, str, Clean]]:
    """Return the native session that continues a branch here, that branch, and a new branch for it:
    what others said next is not part of its past, and must not be mixed with its own next turn."""
    holder = natives.bound_to(workspace, branch)
    if holder is None:
        return []
    session, _, name = branch.partition("/")
    theirs = workspace.store.refs(f"{REMOTES}{remote}/{session}/")
    taken = {ref.rpartition("/")[2] for ref in theirs}
    taken.update(homes.branches_of(workspace, session))
    own = workspace.names.clean(f"{session}/{names.next_branch(name, taken)}")
    change.move(workspace.names.clean(HEADS + own), "", here)
    homes.move_wip(workspace, change, branch, own)
    return [(holder, branch, own)]


def _new_tags(workspace: Workspace, change: Transaction, remote: str) -> list[tuple[str, str, str]]:
    """Copy tags of the remote whose names no branch or tag here has."""
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
    """Create a store at `path` with everything from a remote, which is named origin; its branches
    become ours.

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
        _drop_scrubbed(workspace, done)
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
