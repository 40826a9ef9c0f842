"""du: what each session takes, alone and shared with others, and how much gc could free."""

from __future__ import annotations

from collections.abc import Iterable

from gitsession.model.care import Usage, Use
from gitsession.model.history import HEADS, REMOTES, TAGS, UNDO, WIP
from gitsession.store import usage as counting
from gitsession.store.care import settled
from gitsession.store.names import REMOTE_TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store import Store

_SHARED = -1
_PLACES = ((HEADS, 0), (TAGS, 0), (REMOTES, 1), (REMOTE_TAGS, 1))
"""The prefixes of refs, and how many path components precede the session's name in each."""


def usage(workspace: Workspace) -> Usage:
    """Return the usage, counted by the git program: all objects once, then what each session
    reaches, independent of its number of versions. Raises NotFound without git, FormatError for a
    damaged store."""
    with settled(workspace.store):
        return _usage(workspace.store)


def _usage(store: Store) -> Usage:
    sizes = counting.sizes(store)
    refs = _refs(store)
    tips = set(counting.needed(store, (at for ats in refs.values() for at in ats), history=False))
    owner: dict[str, int] = {}
    sums: list[tuple[int, int]] = []
    names = list(refs)
    for number, name in enumerate(names):
        sums.append(_count(counting.needed(store, refs[name]), sizes, owner, number))
    unique, history = [0] * len(names), [0] * len(names)
    for identity, number in owner.items():
        if number != _SHARED:
            size = sizes.get(identity, 0)
            unique[number] += size
            history[number] += 0 if identity in tips else size
    versions = _versions(store, refs)
    rows = [
        Use(name, versions[name], *sums[number], unique[number], history[number])
        for number, name in enumerate(names)
    ]
    rows.sort(key=lambda row: (-row.unique, row.session))
    return _totals(store, tuple(rows), sizes, owner)


def _count(
    found: Iterable[str], sizes: dict[str, int], owner: dict[str, int], number: int
) -> tuple[int, int]:
    count = size = 0
    for identity in found:
        count += 1
        size += sizes.get(identity, 0)
        if owner.setdefault(identity, number) != number:
            owner[identity] = _SHARED
    return count, size


def _refs(store: Store) -> dict[str, list[str]]:
    """Return session -> ids of its branches and tags, including those fetched from remotes."""
    found: dict[str, list[str]] = {}
    for prefix, skip in _PLACES:
        for ref, at in store.refs(prefix).items():
            parts = ref.removeprefix(prefix).split("/")
            if len(parts) == skip + 2:
                found.setdefault(parts[skip], []).append(at)
    return found


def _versions(store: Store, refs: dict[str, list[str]]) -> dict[str, int]:
    """Return how many versions each session's branches and tags reach, in one walk over all."""
    commits = {name: {store.version(at).id for at in ats} for name, ats in refs.items()}
    every = sorted({commit for found in commits.values() for commit in found})
    parents = {version.id: version.parents for version in store.log(every)}
    return {name: len(_reached(found, parents)) for name, found in commits.items()}


def _reached(tips: set[str], parents: dict[str, tuple[str, ...]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(tips)
    while waiting:
        commit = waiting.pop()
        if commit not in seen:
            seen.add(commit)
            waiting += parents.get(commit, ())
    return seen


def _totals(
    store: Store, rows: tuple[Use, ...], sizes: dict[str, int], owner: dict[str, int]
) -> Usage:
    held_tips = [at for prefix in (UNDO, WIP) for at in store.refs(prefix).values()]
    held = set(counting.needed(store, held_tips)) - owner.keys()
    every = set(counting.needed(store, store.refs().values()))
    loose, loose_bytes, slack = counting.loose(store)
    return Usage(
        sessions=rows,
        disk=counting.folder_size(store.folder),
        objects=len(sizes),
        bytes=sum(sizes.values()),
        loose=loose,
        loose_bytes=loose_bytes,
        slack=slack,
        packs=counting.packs(store),
        held=sum(sizes.get(identity, 0) for identity in held),
        unreachable=sum(size for identity, size in sizes.items() if identity not in every),
    )
