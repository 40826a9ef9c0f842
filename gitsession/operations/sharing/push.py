"""push: plan what would be sent, show and scan it, then send it, never by force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gitsession import snapshot
from gitsession.errors import FormatError, NotFound, SecretsFound, UsageError
from gitsession.model.encoded import Encoded
from gitsession.model.history import HEADS, TAGS
from gitsession.model.report import PushPlan, Transfer
from gitsession.model.session import Info, Session
from gitsession.operations.names import check_name, split_ref
from gitsession.operations.sharing import code_remote, guard
from gitsession.operations.sharing.material import Material, missing_versions
from gitsession.render.words import plural
from gitsession.store import remotes, renamed, rewritten, transfer
from gitsession.store.names import REMOTE_TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.operations.workspace import Workspace
    from gitsession.store import Store

SHARED = "refs/gitsession/shared/"
README = "refs/heads/README"
_TRIES = 4

_WELCOME = """\
# Sessions of AI coding agents

Kept by gitsession: git for conversations with coding agents. Every branch `SESSION/NAME` is one
line of one session, with a commit for each turn that bears what was asked.

```sh
gitsession clone URL team   # a store of its own beside yours; it says where that is
export GITSESSION_DIR=…     # there
gitsession list --all       # the sessions in it
gitsession show @1          # read one
gitsession resume @1        # go on with it in your own agent
```

What was recognised as a secret is masked (`__REDACTED_…__`). Everything else stands here as it was
said: read before you pass it on.
"""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a push is asked for. `name` is what the (one) session shall be called at the remote;
    `allow` lists placeholders that may be sent; `code_remote` permits the code repository's own
    remote; `scrubbed` replaces there what a scrub rewrote here; `audit` asks all plugins of the
    second detector."""

    name: str = ""
    allow: tuple[str, ...] = ()
    code_remote: bool = False
    scrubbed: bool = False
    audit: bool = False


def plan(workspace: Workspace, remote: str, sessions: Iterable[str], wishes: Wishes) -> PushPlan:
    """Return what a push of these sessions would send. Writes nothing.

    `findings` and `problems` in the result block the push. Raises NotFound for an unknown remote or
    session.
    """
    store = workspace.store
    url = remotes.url(store, remote)
    found = dict(_branches(store, session) for session in sessions)
    names = tuple(found)
    _check_name(wishes.name, names)
    refs = _local_refs(store, found)
    here = code_remote.is_one(workspace, remote, url, _folders(workspace, refs.values()))
    moves = _moves(workspace, remote, refs, wishes, shared=here)
    versions = missing_versions(
        store, [new for _, _, new in moves], [] if here else _there(workspace, remote)
    )
    return PushPlan(
        remote=remote,
        url=transfer.real_url(store, remote),
        first=not _there(workspace, remote),
        refs=tuple(moves),
        sessions=names,
        versions=len(versions),
        masked=sum(_number(version, "Redacted") for version in versions),
        paths=tuple(_paths(workspace, refs.values())),
        author=store.author,
        findings=tuple(_findings(workspace, remote, moves, versions, wishes)),
        problems=_problems(here, wishes),
        scrubbed=wishes.scrubbed,
        again=lambda: plan(workspace, remote, names, wishes),
    )


def _check_name(name: str, sessions: tuple[str, ...]) -> None:
    if name and len(sessions) != 1:
        raise UsageError("--as names one session", hint="push the others separately")
    if name:
        check_name(name, "session")


def plan_delete(workspace: Workspace, remote: str, session: str) -> PushPlan:
    """Return what deleting a session from a remote would do there. Raises NotFound."""
    store = workspace.store
    url = remotes.url(store, remote)
    known = {
        HEADS: store.refs(f"refs/remotes/{remote}/{session}/"),
        TAGS: store.refs(f"{REMOTE_TAGS}{remote}/{session}/"),
    }
    folders = _folders(workspace, known[HEADS].values())
    hidden = SHARED if code_remote.is_one(workspace, remote, url, folders) else "refs/"
    moves = [
        (f"{hidden}{prefix.removeprefix('refs/')}{session}/{ref.rpartition('/')[2]}", at, "")
        for prefix, refs in known.items()
        for ref, at in refs.items()
    ]
    if not moves:
        raise NotFound(f"{remote} has no such session", hint=f"gitsession fetch {remote}")
    return PushPlan(remote, remotes.masked(url), False, tuple(moves), (session,), 0, 0, (), "")


def push(workspace: Workspace, planned: PushPlan, allow: Iterable[str] = ()) -> Transfer:
    """Send what was planned, if nothing blocks it. Raises SecretsFound, Conflict, RemoteError.

    If a save renames one of the sessions meanwhile, the push is planned and judged again.
    """
    tries, allowed = 1, tuple(allow)
    while True:
        try:
            return _push(workspace, planned, allowed)
        except renamed.Renamed:
            if planned.again is None or tries == _TRIES:
                raise
            planned = planned.again()
            tries += 1


def _push(workspace: Workspace, planned: PushPlan, allow: tuple[str, ...]) -> Transfer:
    if planned.problems:
        raise code_remote.refused(planned.problems)
    if planned.findings:
        raise SecretsFound(
            f"{plural(len(planned.findings), 'secret')} found in what would be sent; "
            "nothing was sent",
            hint="`gitsession push --allow PLACEHOLDER` sends one as it is",
            candidates=tuple("  ".join(row) for row in planned.findings),
        )
    for placeholder in allow:
        workspace.store.records.write("allowed", workspace.names.clean(placeholder), {})
    updates = [(new, ref) for ref, old, new in planned.refs if old != new]
    store = workspace.store
    # No ref of ours needs to name what is sent, so nothing may drop it meanwhile.
    with store.at_work():
        _keep_names(workspace, planned)
        if planned.first and any(ref.startswith(HEADS) for _, ref in updates):
            _welcome(workspace, planned.remote)
        if not updates:
            return Transfer(planned.remote)
        leases = _leases(workspace, planned) if planned.scrubbed else {}
        return transfer.push(store, planned.remote, updates, workspace.directory, leases=leases)


def _keep_names(workspace: Workspace, planned: PushPlan) -> None:
    """Stop saves from renaming sessions whose names a remote may know from now on."""
    if any(new for _, _, new in planned.refs):
        renamed.keep(workspace.store, planned.sessions)


def _leases(workspace: Workspace, planned: PushPlan) -> dict[str, str]:
    """Return what the remote had before the rewrite: only that may be replaced there."""
    before = rewritten.at_remotes(workspace.store)
    known = ((ref, transfer.mirror_of(planned.remote, ref)) for ref, _, _ in planned.refs)
    return {ref: before[mirror] for ref, mirror in known if mirror in before}


def _branches(store: Store, session: str) -> tuple[str, dict[str, str]]:
    """Return a session by its current name, and its branches. Raises NotFound, StoreBusy."""
    branches = store.refs(f"{HEADS}{session}/")
    if not branches:
        with store.lock("store"):  # a save may be renaming it at this moment
            session = renamed.now(store.records, session) or session
            branches = store.refs(f"{HEADS}{session}/")
    if not branches:
        raise NotFound("there is no such session", hint="gitsession list --all")
    return session, branches


def _local_refs(store: Store, sessions: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return branches and tags of the sessions; wip and undo refs are never sent."""
    refs: dict[str, str] = {}
    for session, branches in sessions.items():
        refs.update(branches)
        refs.update(store.refs(f"{TAGS}{session}/"))
    return refs


def _moves(
    workspace: Workspace, remote: str, refs: dict[str, str], wishes: Wishes, *, shared: bool
) -> list[tuple[str, str, str]]:
    """Return rows of (ref at the remote, its value there as far as we know, its new value)."""
    rows = []
    for ref, new in refs.items():
        prefix = HEADS if ref.startswith(HEADS) else TAGS
        session, name = split_ref(ref, prefix)
        there = f"{wishes.name or session}/{name}"
        if shared:
            rows.append((SHARED + prefix.removeprefix("refs/") + there, "", new))
            continue
        mirror = f"refs/remotes/{remote}/" if prefix == HEADS else f"{REMOTE_TAGS}{remote}/"
        old = workspace.store.ref(mirror + there)
        if old != new:
            rows.append((prefix + there, old, new))
    return rows


def _there(workspace: Workspace, remote: str) -> list[str]:
    """Return the commits that the remote had when we last fetched or pushed."""
    return list(workspace.store.refs(f"refs/remotes/{remote}/").values())


def _findings(
    workspace: Workspace,
    remote: str,
    moves: list[tuple[str, str, str]],
    versions: list[Version],
    wishes: Wishes,
) -> Iterator[guard.FindingRow]:
    material = Material(workspace.store, _there(workspace, remote))
    texts = [ref for ref, _, _ in moves]
    texts += guard.tag_texts(workspace, (new for _, _, new in moves))
    rows = list(guard.scan_names(workspace, texts))
    rows += guard.scan_versions(workspace, versions, material, wishes.audit)
    return (row for row in dict.fromkeys(rows) if row[2] not in wishes.allow)


def _problems(here: bool, wishes: Wishes) -> tuple[str, ...]:
    if not here or wishes.code_remote:
        return ()
    sentence = (
        "that is the remote of the code repository: everybody who may read the code could read "
        "the sessions; --allow-code-remote uses a hidden namespace there"
    )
    return (sentence,)


def _heads(workspace: Workspace, commits: Iterable[str]) -> Iterator[Session]:
    for commit in set(commits):
        try:
            yield snapshot.decode_head(workspace.store.tree(commit)).session
        except FormatError:
            continue


def _folders(workspace: Workspace, commits: Iterable[str]) -> set[str]:
    return {session.info.cwd for session in _heads(workspace, commits)}


def _paths(workspace: Workspace, commits: Iterable[str]) -> list[str]:
    """Return the folders of this machine that can be read in the sessions."""
    found: set[str] = set()
    for session in _heads(workspace, commits):
        found.update((session.info.cwd, *session.info.roots))
    return sorted(path for path in found if path)


def _number(version: Version, trailer: str) -> int:
    text = version.trailers.get(trailer, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _welcome(workspace: Workspace, remote: str) -> None:
    """Push a page as the first branch of an empty repository: that becomes the default, and a page
    is better than a session. A remote that already has a default keeps it."""
    proof = workspace.names.redact(Session(Info("", "")))
    page = Encoded(proof, {"README.md": _WELCOME.encode()}, "Sessions kept by gitsession\n", 0)
    with workspace.store.writer(bulk=False) as writer:
        commit, _ = writer.commit(page)
    transfer.push(workspace.store, remote, [(commit, README)], workspace.directory)
