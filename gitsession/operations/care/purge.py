"""delete --purge: drop a session's refs, records and objects now; what others hold too stays."""

from __future__ import annotations

from gitsession.model.history import HEADS, REMOTES, TAGS, UNDO, WIP, RefMove
from gitsession.operations import read_messages
from gitsession.operations.searching import search_index
from gitsession.operations.secrets import mended
from gitsession.store.drop import alone, drop_unreachable
from gitsession.store.names import REMOTE_TAGS
from gitsession.store.records import OF_BRANCHES, OF_SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store import Store
    from gitsession.store.oplog import Entry


def purge(workspace: Workspace, session: str, buried: list[str]) -> None:
    """Drop everything of one session that no other session holds, including what undo kept of it.

    Raises StoreBusy while anything else works on the store; then nothing was changed.
    """
    store = workspace.store
    with alone(store, workspace.config["lock.timeout"]):
        entries = list(store.oplog.newest_first())[::-1]
        kept, gone = _sorted_entries(entries, session)
        refs = [*_own_refs(store, session), *_held_for_undo(store, gone)]
        store.ref_files.move([RefMove(ref, at, "") for ref, at in refs])
        number = store.oplog.last_id() + 1
        store.oplog.replace(kept)
        mended.note_final(workspace, "purge", number)
        _forget_records(workspace, session, buried)
        read_messages.forget_all(workspace)
        search_index.forget(workspace)
        drop_unreachable(store)


def _own_refs(store: Store, session: str) -> list[tuple[str, str]]:
    """Return the session's branches, tags and open turns, and the local copies of a remote's."""
    found = [
        row for prefix in (HEADS, TAGS, WIP) for row in store.refs(f"{prefix}{session}/").items()
    ]
    for prefix in (REMOTES, REMOTE_TAGS):
        for ref, at in store.refs(prefix).items():
            if ref.removeprefix(prefix).split("/")[1:2] == [session]:
                found.append((ref, at))
    return found


def _sorted_entries(entries: list[Entry], session: str) -> tuple[list[Entry], list[Entry]]:
    """Return (operations of other sessions, operations that moved a ref or HEAD of this one)."""
    kept: list[Entry] = []
    gone: list[Entry] = []
    for entry in entries:
        named = any(f"/{session}/" in row[0] for row in entry["refs"])
        named = named or any(
            str(head).startswith(f"{session}/")
            for row in entry.get("heads", ())
            for head in row[1:3]
        )
        (gone if named else kept).append(entry)
    return kept, gone


def _held_for_undo(store: Store, gone: list[Entry]) -> list[tuple[str, str]]:
    numbers = {f"{UNDO}{entry['id']}/" for entry in gone}
    return [row for start in numbers for row in store.refs(start).items()]


def _forget_records(workspace: Workspace, session: str, buried: list[str]) -> None:
    """Remove every record of the session except its tombstones."""
    records = workspace.store.records
    for kind in (*OF_BRANCHES, *OF_SESSIONS):
        for name in records.names(kind):
            if name == session or name.startswith(f"{session}/"):
                records.remove(kind, name)
    for kind in ("native", "failures"):
        for name in buried:
            records.remove(kind, name)
    for name, record in list(records.items("heads")):
        if str(record.get("head", "")).startswith(f"{session}/"):
            records.remove("heads", name)
    for name in records.names("listed"):
        records.remove("listed", name)
    records.forget_index()
