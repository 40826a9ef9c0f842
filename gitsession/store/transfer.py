"""push, fetch and clone through the git program, with the user's ssh, credentials and proxies.

Only here does the user's own git configuration count. Hooks are off, addresses follow `--`, and no
ref names what was fetched until the caller has checked it.
"""

from __future__ import annotations

import os
import re
from collections import namedtuple
from collections.abc import Mapping, Sequence

from gitsession.environment import UMASK, Environment, find_program
from gitsession.errors import RemoteError, UsageError
from gitsession.model.history import HEADS, TAGS
from gitsession.store import names, process, remotes
from gitsession.store.objects import is_id
from gitsession.store.quarantine import Quarantine, mirrored

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import NamedTuple

    from gitsession.model.finding import Clean
    from gitsession.model.report import Transfer
    from gitsession.store.store import Store

    class Fetched(NamedTuple):
        remote: str
        updates: tuple[tuple[str, str, str], ...]
else:
    Fetched = namedtuple("Fetched", "remote updates")
    Fetched.__doc__ = """What a fetch brought: objects that nothing names yet, and as `updates` the
    refs it would move (`refs/remotes/…`, `refs/gitsession/remote-tags/…`) with their old ("" for
    new) and new ids."""

_PROTOCOLS = ("https", "ssh", "file")
_USERS_GIT = (
    "GIT_SSH", "GIT_ASKPASS", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_", "GIT_TERMINAL_PROMPT",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
)  # fmt: skip
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false",
    "transfer.fsckObjects=true", "fetch.fsckObjects=true", "fetch.prune=false",
    "fetch.pruneTags=false", "fetch.writeCommitGraph=false", "push.gpgSign=false",
    "push.followTags=false", "push.recurseSubmodules=no", "fetch.recurseSubmodules=no",
    "submodule.recurse=false",
)  # fmt: skip
_SERVER = (
    "GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git -c core.hooksPath=/dev/null"
    " -c core.fsmonitor=false -c core.alternateRefsCommand=true -c receive.autogc=false"
    " -c receive.denyCurrentBranch=refuse"
)
"""What the shell starts as the other side of a path. `updateInstead` would run filters, `gc` a hook
of its own, a promisor remote the program that it fetches with."""
_AT_ONCE = 200
_ALLOWED = re.compile(r"protocol\.([a-z0-9+.-]+)\.allow (\w+)").fullmatch


def variables(environment: Environment) -> dict[str, str]:
    """The user's own variables, without those that could direct git to another repository."""
    kept = {
        name: value for name, value in environment.variables.items()
        if not name.startswith("GIT_") or name.startswith(_USERS_GIT)
    }  # fmt: skip
    kept.update(GIT_NO_REPLACE_OBJECTS="1", LC_ALL="C", HOME=environment.home_folder)
    kept["GIT_ALLOW_PROTOCOL"] = ":".join(_protocols(environment, kept))
    return kept


def _protocols(environment: Environment, settings: Mapping[str, str]) -> list[str]:
    """https, ssh and file, plus or minus what the user's own configuration allows or forbids."""
    import subprocess

    git = find_program("git", environment.variables)
    allowed = dict.fromkeys(_PROTOCOLS, True)
    if git:
        command = [git, "config", "--get-regexp", r"^protocol\..*\.allow$"]
        result = subprocess.run(
            command, env=dict(settings), cwd="/", capture_output=True, check=False
        )
        for line in result.stdout.decode("utf-8", "replace").splitlines():
            if match := _ALLOWED(line):
                allowed[match[1]] = match[2] in ("always", "user")
    return [name for name, good in allowed.items() if good]


def real_url(store: Store, name: str, push: bool = True) -> str:
    """The address that git will use, after the user's `insteadOf`, with secrets masked."""
    address = remotes.url(store, name)
    return remotes.masked(_rewritten(store, name, push) or address)


def fetch(store: Store, remote: str, prefix: str = "refs/") -> Fetched:
    """Fetch everything new from a remote without moving a ref.

    `prefix` is where branches and tags are on the other side. Hold `at_work` until `accept` is
    done: nothing else prevents the fetched objects from being dropped. Raises RemoteError.
    """
    address, options = _address(store, remote)
    known = mirrored(store, remote)
    news = _news(store, address, options, prefix, known)
    if isinstance(news, bytes) and known and _clashes(news):
        news = _news(store, address, options, prefix, {})
    if isinstance(news, bytes):
        raise _failure(remote, news)
    moves = ((mirror_of(remote, ref), at) for ref, at in news.items())
    updates = ((ref, store.ref(ref), at) for ref, at in moves)
    return Fetched(remote, tuple(row for row in updates if row[1] != row[2]))


def _news(
    store: Store, address: str, options: Sequence[str], prefix: str, known: Mapping[str, str]
) -> dict[str, str] | bytes:
    """The remote's refs that are new or have moved; or the error output of a failed git."""
    listed = "--write-fetch-head" if store.ref_files.folds else "--no-write-fetch-head"
    with Quarantine(store, known) as place:
        result = _run(
            place, store, "fetch", "--no-tags", listed, "--no-auto-maintenance",
            "--quiet", "--refmap=", "--no-recurse-submodules", *options, "--", address,
            f"+{prefix}heads/*:{HEADS}*", f"+{prefix}tags/*:{TAGS}*",
        )  # fmt: skip
        return place.news() if result.returncode == 0 else result.stderr


def _clashes(errors: bytes) -> bool:
    """Whether a ref name has become the folder of others on the remote, or vice versa."""
    return b"cannot lock ref" in errors or b"conflict" in errors


def accept(
    store: Store, fetched: Fetched, directory: str = "", only: Sequence[str] | None = None
) -> Transfer:
    """Move the refs that mirror the remote (all of them, or those in `only`)."""
    from gitsession.model.report import Transfer

    chosen = [row for row in fetched.updates if only is None or row[0] in only]
    with store.transaction("fetch", directory) as change:
        for ref, old, new in chosen:
            change.move(ref, old, new)
    return Transfer(fetched.remote, tuple(chosen))


def push(
    store: Store, remote: str, updates: Sequence[tuple[str, str]], directory: str = "",
    force: bool = False, leases: Mapping[str, str] | None = None,
) -> Transfer:  # fmt: skip
    """Send ids to refs of the remote; the id "" deletes the ref there.

    A ref that cannot be fast-forwarded is returned in `rejected`, unless `force` is set or `leases`
    names the id that the remote must have there to be replaced. Raises RemoteError if the remote
    cannot be reached at all.
    """
    from gitsession.model.report import Transfer

    rejected: list[tuple[str, str]] = []
    for start in range(0, len(updates), _AT_ONCE):
        rejected += _send(store, remote, updates[start : start + _AT_ONCE], force, leases or {})
    refused = {ref for ref, _ in rejected}
    updated: list[tuple[str, str, str]] = []
    with store.transaction("push", directory) as change:
        for identity, ref in updates:
            if ref in refused:
                continue
            mirror = mirror_of(remote, ref)
            old = store.ref(mirror) if mirror else ""
            updated.append((ref, old, identity))
            if mirror and old != identity:
                change.move(mirror, old, identity)
    return Transfer(remote, tuple(updated), tuple(rejected))


def _send(
    store: Store, remote: str, updates: Sequence[tuple[str, str]], force: bool,
    leases: Mapping[str, str],
) -> list[tuple[str, str]]:  # fmt: skip
    """Run one `git push`; return the refs that the remote rejected, with its reasons."""
    address, options = _address(store, remote, push=True)
    specs = [_refspec(identity, ref) for identity, ref in updates]
    known = [(ref, leases[ref]) for _, ref in updates if ref in leases]
    options += [f"--force-with-lease={ref}:{identity}" for ref, identity in known]
    with Quarantine(store, {}) as place:
        result = _run(
            place, store, "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed",
            "--recurse-submodules=no", "--quiet", "--no-progress", *options,
            *(["--force"] if force else []), "--", address, *specs,
        )  # fmt: skip
    rows = _report(result.stdout.decode("utf-8", "replace"))
    rejected = [(ref, remotes.masked(why)) for flag, ref, why in rows if flag == "!"]
    if result.returncode != 0 and not rejected:
        raise _failure(remote, result.stderr)
    return rejected


def _refspec(identity: str, ref: str) -> str:
    if (identity and not is_id(identity)) or not names.is_ref(ref):
        raise ValueError("push takes ids and full names of refs")
    return f"{identity}:{ref}"


def mirror_of(remote: str, ref: str) -> str:
    """The local ref that records the position of a remote's ref, "" if there is none."""
    ref = ref.replace(names.SHARED, "refs/", 1)
    if ref.startswith(HEADS):
        return names.remote_ref(remote, ref[len(HEADS) :])
    if ref.startswith(TAGS):
        return f"{names.REMOTE_TAGS}{remote}/{ref[len(TAGS) :]}"
    return ""


def _report(text: str) -> list[tuple[str, str, str]]:
    """Flag, ref and reason from each line of `git push --porcelain`."""
    rows = []
    for line in text.splitlines():
        flag, _, rest = line.partition("\t")
        spec, tab, summary = rest.partition("\t")
        if len(flag) == 1 and tab:
            rows.append((flag, spec.rpartition(":")[2], summary))
    return rows


def clone(
    path: str | os.PathLike[str], key: bytes, environment: Environment, address: Clean,
    remote: Clean, author: Clean | None = None,
) -> tuple[Store, Fetched]:  # fmt: skip
    """Create a store with one remote, fetched but not yet accepted.

    Raises Conflict if `path` exists; if the fetch fails, nothing is left there.
    """
    from gitsession.errors import Conflict
    from gitsession.store import layout
    from gitsession.store.store import Store

    if os.path.lexists(path):
        raise Conflict(f"{os.fspath(path)} exists", hint="choose another name for the clone")
    remotes.check(address)
    store = Store.create(path, key, environment, author)
    try:
        remotes.add(store, remote, address)
        return store, fetch(store, remote)
    except BaseException as error:
        store.close()
        layout.remove(store.folder)
        if isinstance(error, RemoteError):  # no store remains whose remotes could be listed
            error.hint = "check the address, and that `git ls-remote` reaches it"
        raise


def _address(store: Store, remote: str, push: bool = False) -> tuple[str, list[str]]:
    """The address to hand to git, with the options for fetching from it or pushing to it.

    A repository on a path (a shared folder, a USB stick) is served by our own git, as this user, so
    whatever its configuration would start is switched off. Raises UsageError if the protocol is not
    allowed.
    """
    address = remotes.url(store, remote)
    remotes.check(address)
    kind = remotes.protocol(_rewritten(store, remote, push) or address)
    allowed = variables(store.environment)["GIT_ALLOW_PROTOCOL"].split(":")
    if kind not in allowed:
        raise UsageError(
            f"addresses of the kind {kind} are not allowed",
            hint="use https, ssh or a path; your own git configuration may allow others",
        )
    service = "receive-pack" if push else "upload-pack"
    return address, [f"--{service}={_SERVER} {service}"] if kind == "file" else []


def _rewritten(store: Store, remote: str, push: bool) -> str:
    """The address after the user's `insteadOf`, which may have inserted a secret."""
    options = ("--push",) if push else ()
    with Quarantine(store, {}, (remote, remotes.url(store, remote))) as place:
        result = _run(place, store, "remote", "get-url", *options, "--", remote)
    return result.stdout.decode("utf-8", "replace").strip()


def _run(place: Quarantine, store: Store, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    import subprocess

    words = (*(word for setting in _SETTINGS for word in ("-c", setting)), *arguments)
    return subprocess.run(
        process.git_command(store.git_program, place.folder, words), capture_output=True,
        env={**variables(store.environment), **place.variables}, stdin=subprocess.DEVNULL,
        umask=UMASK, check=False,
    )  # fmt: skip


def _failure(remote: str, errors: bytes) -> RemoteError:
    lines = remotes.masked(errors.decode("utf-8", "replace")).splitlines()
    told = [line.strip() for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
    text = "; ".join(told[:3] or lines[-1:] or ["no reason given"])[:400]
    return RemoteError(
        f"the remote {remote} could not be used: {text}",
        hint="check the address with `gitsession remote -v`, and that `git ls-remote` reaches it",
    )
