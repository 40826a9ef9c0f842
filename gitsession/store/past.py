"""A store as it was after an operation: its refs and HEADs of that time, over today's objects.

Whatever later operations took away is held for undo, so all of it can still be read. Nothing can be
written through a past store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, UNDO
from gitsession.store import history
from gitsession.store.records import Records
from gitsession.store.refs import Refs
from gitsession.store.store import Store

if TYPE_CHECKING:
    from gitsession.model.history import RefMove, Tip
    from gitsession.store.oplog import Entry
    from gitsession.store.transaction import Transaction
    from gitsession.store.writer import Writer


def at_operation(store: Store, number: int) -> PastStore:
    """Return the store as it was after operation `number` of the log. Raises NotFound if the log
    does not have it (any more)."""
    refs = store.refs()
    heads = {name: str(row.get("head", "")) for name, row in store.records.items("heads")}
    touched: set[str] = set()
    found, oldest = False, 0
    for entry in store.oplog.newest_first():
        oldest = int(entry["id"])
        if oldest == number:
            found = True
            break
        if oldest < number:
            break
        touched |= _take_back(refs, heads, entry)
    if not found:
        begins = f", which begins at {oldest}," if oldest > number else ""
        raise NotFound(
            f"the log{begins} has no operation {number}", hint="`gitsession oplog` lists them"
        )
    # Working states of automatic saves are not held for undo; some may be gone.
    lost = [ref for ref in touched if ref in refs and not store.reader.has(refs[ref])]
    for ref in lost:
        del refs[ref]
    return PastStore(store, refs, heads)


def _take_back(refs: dict[str, str], heads: dict[str, str], entry: Entry) -> set[str]:
    """Undo one entry in these tables; return the refs that it had moved."""
    for ref, old, _ in entry["refs"]:
        if old:
            refs[ref] = old
        else:
            refs.pop(ref, None)
    for ref in [ref for ref in refs if ref.startswith(f"{UNDO}{entry['id']}/")]:
        del refs[ref]
    _rename_back(heads, entry)
    for row in entry.get("heads", ()):
        heads[str(row[0])] = str(row[1])
    return {ref for ref, _, _ in entry["refs"]}


def _rename_back(heads: dict[str, str], entry: Entry) -> None:
    """Undo the renames of an entry. A branch that disappeared while another appeared at the same
    version was renamed; the HEADs of all directories followed it, which the entry does not
    record."""
    before, after = entry.get("renamed", ("", ""))
    for name, head in heads.items():
        if after and head.startswith(f"{after}/"):
            heads[name] = before + head[len(after) :]
    gone = {old: ref for ref, old, new in entry["refs"] if ref.startswith(HEADS) and not new}
    for ref, old, new in entry["refs"]:
        if ref.startswith(HEADS) and not old and new in gone:
            now, then = ref.removeprefix(HEADS), gone[new].removeprefix(HEADS)
            heads.update({name: then for name, head in heads.items() if head == now})


class PastStore(Store):
    """Made by `at_operation`. Shares the reader of the original store."""

    def __init__(self, store: Store, refs: Mapping[str, str], heads: Mapping[str, str]) -> None:
        super().__init__(store.folder, store.key, store.environment, store.durable)
        self.reader = store.reader
        self.default_head = store.default_head
        self.ref_files = _PastRefs(self.folder, refs)
        self._heads = heads
        self._records = _PastRecords(self.folder, self.key, store.presence.announce)

    def head(self, directory: str) -> str:
        then = self._heads.get(self.records.directory(directory))
        return super().head(directory) if then is None else then

    def tips(self, prefix: str = "refs/heads/", *, lost: bool = False) -> list[Tip]:
        return list(history.tips_one_by_one(self, prefix, lost))

    def writer(self, bulk: bool = False, *, much: bool = False) -> Writer:
        del bulk, much
        _refuse()

    def transaction(self, verb: str, directory: str = "", automatic: bool = False) -> Transaction:
        del verb, directory, automatic
        _refuse()


class _PastRefs(Refs):
    def __init__(self, folder: str, refs: Mapping[str, str]) -> None:
        super().__init__(folder)
        self._then = dict(sorted(refs.items()))

    def read(self, name: str) -> str:
        return self._then.get(name, "")

    def all(self, prefix: str = "refs/") -> dict[str, str]:
        return {name: at for name, at in self._then.items() if name.startswith(prefix)}

    def loose(self, prefix: str) -> dict[str, str]:
        return self.all(prefix)

    def packed_bytes(self) -> bytes:
        return b""

    def move(self, moves: Iterable[RefMove], before: object = None) -> None:
        del moves, before
        _refuse()


class _PastRecords(Records):
    """Today's records, read-only but for `listed`, which gives the rows of a list their meaning."""

    def write(self, kind: str, name: str, value: Mapping[str, object]) -> None:
        if kind != "listed":
            _refuse()
        super().write(kind, name, value)

    def remove(self, kind: str, name: str) -> None:
        if kind == "listed":
            super().remove(kind, name)


def _refuse() -> NoReturn:
    raise Conflict("the past can be read, not changed", hint="leave --at-op out")
