"""gc: thin the history if asked to, release what undo and wip held, pack, and drop what nothing
needs. It never runs by itself, and never by age unless asked; what it drops cannot be restored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.errors import FormatError, UsageError
from gitsession.model.care import Fate, GcDone, GcPlan
from gitsession.model.care import Keep as Keep
from gitsession.model.history import HEADS, REMOTES, TAGS, UNDO, WIP, RefMove
from gitsession.operations import read_messages
from gitsession.operations.care import retention
from gitsession.operations.searching import search_index
from gitsession.operations.secrets import mended
from gitsession.store import rewritten, usage
from gitsession.store.care import settled
from gitsession.store.drop import alone, drop_unreachable
from gitsession.store.names import REMOTE_TAGS
from gitsession.store.thinning import Thinner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store import Store

_MOVED = (HEADS, TAGS, WIP)
_MIRRORS = (REMOTES, REMOTE_TAGS)


def plan(workspace: Workspace, keep: Keep, pushed: bool = False) -> GcPlan:
    """Return what a gc would do now, and the space it would free. Writes nothing."""
    _check(keep)
    with settled(workspace.store):
        return _plan(workspace, keep, pushed)


def _plan(workspace: Workspace, keep: Keep, pushed: bool) -> GcPlan:
    store = workspace.store
    found = retention.fates(workspace, keep, pushed) if keep.thins else []
    wip = _needless(store)
    sizes = usage.sizes(store)
    needed = set(_needed(store, found, wip, pushed))
    return GcPlan(
        fates=tuple(found),
        operations=len(_held(store)),
        wip=tuple(ref.removeprefix(WIP) for ref in wip),
        objects=len(sizes),
        dropped=sum(identity not in needed for identity in sizes),
        size=sum(sizes.values()),
        freed=sum(size for identity, size in sizes.items() if identity not in needed),
        loose=usage.loose(store)[0],
    )


def run(workspace: Workspace, keep: Keep, pushed: bool = False) -> GcDone:
    """Run the gc while nobody else works on the store. Raises StoreBusy (then nothing was changed),
    FormatError for a damaged store, NotFound without the git program.

    If it is killed midway, simply run it again: refs name either the old versions or the new ones.
    """
    _check(keep)
    store = workspace.store
    store.git()
    before = usage.folder_size(store.folder)
    with alone(store, workspace.config["lock.timeout"]):
        found = retention.fates(workspace, keep, pushed) if keep.thins else []
        going = [fate for fate in found if not fate.reasons]
        thinner = Thinner(store, (fate.id for fate in found if fate.reasons))
        lost = _thin(workspace, thinner, pushed) if going else {}
        held, wip = _held(store), _needless(store)
        _release(store, wip)
        if going or held:
            mended.start_log_anew(workspace, "gc")
        read_messages.forget_all(workspace)
        search_index.forget(workspace)
        drop_unreachable(store, compare=True)
    return GcDone(
        versions=len(going),
        rewritten=len(thinner.ids),
        operations=len(held),
        wip=len(wip),
        before=before,
        after=usage.folder_size(store.folder),
        remotes=tuple(sorted({_remote(ref) for ref in lost})),
    )


def _check(keep: Keep) -> None:
    if min(keep.last, keep.daily, keep.weekly) < 0:
        raise UsageError("a number of versions to keep is 0 or more")


def _thin(workspace: Workspace, thinner: Thinner, pushed: bool) -> dict[str, str]:
    """Rewrite the histories and move every ref, all or none. Remote-tracking refs that named
    dropped versions are deleted and returned: a fetch restores them, `push --scrubbed` replaces the
    remote's."""
    store = workspace.store
    refs = {ref: at for prefix in _MOVED for ref, at in store.refs(prefix).items()}
    thinner.run(refs.values())
    lost = dict(_mirrors(store, thinner)) if pushed else {}
    rewritten.remember(store, thinner.ids, lost, thinner.gone)
    moves = [RefMove(ref, at, thinner.new(at)) for ref, at in refs.items()]
    moves = [move for move in moves if move.old != move.new]
    store.ref_files.move([*moves, *(RefMove(ref, at, "") for ref, at in lost.items())])
    mended.ids(store)
    return lost


def _mirrors(store: Store, thinner: Thinner) -> Iterator[tuple[str, str]]:
    for prefix in _MIRRORS:
        for ref, at in store.refs(prefix).items():
            commit = store.version(at).id
            if commit in thinner.ids or commit in thinner.gone:
                yield ref, at


def _remote(ref: str) -> str:
    prefix = REMOTES if ref.startswith(REMOTES) else REMOTE_TAGS
    return ref.removeprefix(prefix).partition("/")[0]


def _held(store: Store) -> set[str]:
    """Return the numbers of the operations whose old values are held."""
    return {ref.removeprefix(UNDO).partition("/")[0] for ref in store.refs(UNDO)}


def _needless(store: Store) -> dict[str, str]:
    """Return the working states whose branch is gone or has finished their turn since."""
    found = {}
    for ref, at in store.refs(WIP).items():
        tip = store.ref(HEADS + ref.removeprefix(WIP))
        if not tip or _is_past(store, at, tip):
            found[ref] = at
    return found


def _is_past(store: Store, working: str, tip: str) -> bool:
    try:
        kept, newest = store.version(working), store.version(tip)
        number = int(kept.trailers.get("Version", ""))
        return tip not in kept.parents and number <= int(newest.trailers.get("Version", ""))
    except (FormatError, ValueError):
        return False


def _release(store: Store, wip: dict[str, str]) -> None:
    """Delete the undo refs and the working states that nothing needs."""
    gone = {**store.refs(UNDO), **wip}
    store.ref_files.move([RefMove(ref, at, "") for ref, at in gone.items()])


def _needed(store: Store, found: Iterable[Fate], wip: Iterable[str], pushed: bool) -> Iterator[str]:
    """Yield all objects that would still be reachable."""
    released = {*store.refs(UNDO), *wip}
    refs = {ref: at for ref, at in store.refs().items() if ref not in released}
    kept = [fate.id for fate in found if fate.reasons]
    if not kept:
        yield from usage.needed(store, refs.values())
        return
    local = [at for ref, at in refs.items() if ref.startswith(_MOVED)]
    gone = {fate.id for fate in found if not fate.reasons}
    others = [at for ref, at in refs.items() if not ref.startswith(_MOVED)]
    if pushed:
        others = [at for at in others if gone.isdisjoint(_below(store, at))]
    yield from usage.needed(store, others)
    yield from usage.needed(store, [*kept, *local], history=False)


def _below(store: Store, at: str) -> Iterator[str]:
    return (version.id for version in store.log([store.version(at).id]))
