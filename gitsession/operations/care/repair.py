"""fsck --repair: set aside what is damaged, write again what an agent still has, and leave what
remains lost out of its branch by writing new versions. No object and no version is ever edited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.agents import registry
from gitsession.errors import FormatError, GitSessionError
from gitsession.model.history import HEADS, REMOTES, TAGS, UNDO, WIP, RefMove
from gitsession.operations import natives
from gitsession.operations.care.salvage import History, all_versions, is_whole, number_of
from gitsession.operations.saving import unsaved
from gitsession.operations.saving.grow import Growth
from gitsession.operations.saving.line import Line
from gitsession.operations.saving.past import Past
from gitsession.operations.secrets import mended
from gitsession.store import inspection, rewritten, usage
from gitsession.store.drop import alone
from gitsession.store.names import REMOTE_TAGS
from gitsession.store.recovery import Recovery
from gitsession.store.thinning import Thinner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store import Store

_KEPT = (HEADS, TAGS, WIP)
_GIVEN_UP = (UNDO, REMOTES, REMOTE_TAGS)
"""Refs that are simply deleted when they are broken: a fetch restores those of remotes."""


def repair(workspace: Workspace) -> list[str]:
    """Repair a damaged store as far as possible; return what was done, in sentences (empty: there
    was nothing to do). Raises StoreBusy; then nothing was changed."""
    store = workspace.store
    recovery = Recovery(store)
    with alone(store, workspace.config["lock.timeout"]):
        recovery.files(path for path, _ in inspection.damaged_files(store))
        recovery.objects()
        lost = recovery.ref_files()
        done = recovery.done
        if _broken(store) or any(not at for at in lost.values()):
            done += _write_again(workspace)
        done += _name_again(workspace, lost)
        done += _mend_refs(workspace)
        if done:
            mended.note_final(workspace, "repair", store.oplog.last_id() + 1)
    return done


def _broken(store: Store) -> dict[str, str]:
    """Return the refs below which anything is missing."""
    return {ref: at for ref, at in store.refs().items() if not is_whole(store, at)}


def _write_again(workspace: Workspace) -> Iterator[str]:
    """Write whatever the agents still have as a first save would: history is a function of the
    content, so exactly the lost objects come back."""
    for record in list(natives.known(workspace)):
        source = unsaved.source_of(workspace, record)
        if source is None:
            continue
        before = usage.loose(workspace.store)[0]
        try:
            agent = registry.get(source.agent)
            Growth(workspace, agent, source, Line(), Past("new")).write_again()
        except (GitSessionError, OSError):
            continue
        if back := usage.loose(workspace.store)[0] - before:
            objects = "1 object" if back == 1 else f"{back} objects"
            yield f"wrote {objects} of {natives.name_of(record)} again from its own file"


def _name_again(workspace: Workspace, lost: dict[str, str]) -> Iterator[str]:
    """Restore each branch whose ref was damaged to its last value in the operation log."""
    store = workspace.store
    for ref, packed in lost.items():
        at = next(_logged(store, ref), "") or packed
        if not at or not ref.startswith(_KEPT):
            yield f"set the damaged {ref} aside; nothing says what it named"
            continue
        if at != packed:
            store.ref_files.move([RefMove(ref, packed, at)])
        yield f"{ref} names {at[:12]} again, as the log of operations says"


def _logged(store: Store, ref: str) -> Iterator[str]:
    """Yield what a ref was after each operation, newest first, as far as that still exists."""
    for entry in store.oplog.newest_first():
        for name, old, new in entry["refs"]:
            if name == ref:
                yield from (at for at in (new, old) if at and _is_commit(store, at))


def _is_commit(store: Store, identity: str) -> bool:
    try:
        return bool(store.version(identity))
    except FormatError:
        return False


def _mend_refs(workspace: Workspace) -> Iterator[str]:
    """Rewrite branches without the versions that are lost: the rest gets the last good parent."""
    store = workspace.store
    broken = _broken(store)
    if not broken:
        return
    gone = {ref: at for ref, at in broken.items() if ref.startswith(_GIVEN_UP)}
    yield from (f"forgot {ref}: it cannot be read any more" for ref in gone)
    kept = {ref: at for ref, at in store.refs().items() if ref.startswith(_KEPT)}
    history = History(store, kept.values())
    thinner = Thinner(store, history.good)
    for missing, child in history.missing.items():
        thinner.stand_in(missing, history.before(child) if child else _last_of(workspace, missing))
    thinner.over(history.oldest_first(), [at for at in kept.values() if _tag_is_good(history, at)])
    moves = [RefMove(ref, at, "") for ref, at in gone.items()]
    for ref, at in kept.items():
        new = thinner.ids.get(at) or thinner.nearest(history.commit_of(at))
        new = new if ref.startswith(HEADS) or history.commit_of(at) in history.good else ""
        if ref.startswith(TAGS) and new and at not in thinner.ids:
            new = at
        if new != at:
            moves.append(RefMove(ref, at, new))
            yield _said(ref, at, new)
    rewritten.remember(store, thinner.ids, {}, thinner.gone)
    store.records.write("quarantined", "refs", _remembered(store, moves))
    store.ref_files.move(moves)
    mended.ids(store)


def _last_of(workspace: Workspace, missing: str) -> str:
    """Return the version from which a branch whose tip is lost continues: its earlier value in the
    log, else the newest good version of the native session that it continues, else ""."""
    store = workspace.store
    branches = [ref for ref, at in store.refs(HEADS).items() if at == missing]
    for ref in branches:
        for at in _logged(store, ref):
            if at != missing and is_whole(store, at):
                return at
    wanted = {one for ref in branches for one in natives.ids_on(workspace, ref[len(HEADS) :])}
    known = [one for one in all_versions(store)
             if wanted & {one.trailers.get("Native"), one.trailers.get("Session")}]  # fmt: skip
    for version in sorted(known, key=number_of, reverse=True):
        if is_whole(store, version.id):
            return version.id
    return ""


def _said(ref: str, at: str, new: str) -> str:
    if not new:
        return f"set {ref} aside: no version of it is left (it was {at[:12]})"
    return f"{ref} goes on from {new[:12]}, without the versions that are lost (it was {at[:12]})"


def _remembered(store: Store, moves: Iterable[RefMove]) -> dict[str, object]:
    """Return what refs named before a repair, added to what earlier repairs recorded."""
    known = store.records.read("quarantined", "refs") or {}
    rows = known.get("rows")
    old = rows if isinstance(rows, list) else []
    return {"rows": [*old, *([move.ref, move.old, move.new] for move in moves)]}


def _tag_is_good(history: History, at: str) -> bool:
    return history.commit_of(at) in history.good
