"""One change of refs and HEADs: all or none, one line in the operation log, undo kept possible."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from gitsession.errors import Conflict, FormatError
from gitsession.model.finding import Clean
from gitsession.model.history import HEADS, UNDO, WIP, RefMove
from gitsession.store import names
from gitsession.store.objects import is_id, unwritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.files import Lock
    from gitsession.model.report import Operation
    from gitsession.store.oplog import Entry
    from gitsession.store.store import Store

_LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz-")


class Transaction:
    """Made by `Store.transaction`; the store's lock is held for the whole block.

    Nothing read inside the block can be moved by another gitsession process. Leaving it without an
    error applies everything, or raises Conflict if a ref is not at its `old` value; nothing has
    moved then. Afterwards `operation` is the number in the log (0 if there was nothing to do).
    """

    def __init__(self, store: Store, verb: str, directory: str, automatic: bool) -> None:
        if not _is_plain(verb):
            raise ValueError("a verb is one plain word")
        self.operation = 0
        self._store = store
        self._verb = verb
        self._directory = store.records.directory(directory) if directory else ""
        self._automatic = automatic
        self._moves: dict[str, RefMove] = {}
        self._heads: dict[str, tuple[str, str]] = {}
        self._notes: dict[str, object] = {}
        self._undoes = 0
        self._renamed: tuple[str, str] | None = None
        self._titled: tuple[str, str] | None = None
        self._lock: Lock | None = None

    def move(self, ref: str, old: str, new: str) -> None:
        """Move a ref from one id to another; "" on a side means that it does not exist there."""
        if not all(not identity or is_id(identity) for identity in (old, new)):
            raise ValueError("a ref moves between ids of 40 hex digits")
        names.check_ref(ref)
        if ref in self._moves:
            first = self._moves[ref]
            if first.new != old:
                raise Conflict(f"{ref} is moved twice in one change, and not in one line")
            old = first.old
        self._moves[ref] = RefMove(ref, old, new)

    def head(self, directory: str, new_head: str, name: Clean | None = None) -> None:
        """Set HEAD of a directory to `<session>/<branch>` or an id; "" removes it. `name` is how
        the directory is shown."""
        self._heads[self._store.records.directory(directory)] = (new_head, name or "")

    def note(self, **details: object) -> None:
        """Add numbers, flags, ids and Clean texts to the log entry. `undoes=<id>` marks an undo."""
        for value in details.values():
            plain = isinstance(value, str) and _is_plain(value)
            if not (plain or isinstance(value, int | Clean)):
                raise TypeError("a note is a number, a plain word or a Clean text")
        self._undoes = int(str(details.pop("undoes", self._undoes)))
        self._notes.update(details)

    def rename(self, old: Clean, new: Clean) -> None:
        """Rename a session: its records follow, even after a kill. The caller moves the refs."""
        self._renamed = (old, new)
        self.note(**{"from": old, "to": new})

    def entitle(self, session: Clean, old: Clean, new: Clean) -> None:
        """Set the title that a person gives a session (by its name after this transaction); ""
        means none. Raises Conflict if the present title is not `old`."""
        self._titled = (session, new)
        named = self._renamed[0] if self._renamed else session
        if title_of(self._store, named) != old:
            raise Conflict("the session got another title meanwhile", "run the command again")
        self.note(titled=session, title=new, title_before=old)

    def revert(self, operation: Operation) -> None:
        """Take an operation back: move every ref and HEAD to where it was. Raises Conflict (when
        the block ends) if one has moved since."""
        for ref, old, new in operation.refs:
            self.move(ref, new, old)
        heads = operation.details.get("heads") or ()
        assert isinstance(heads, list | tuple)
        for key, old, _ in heads:
            self._heads[str(key)] = (str(old), "")
        self._undoes = operation.id

    def __enter__(self) -> Transaction:
        lock = self._store.lock("store")
        try:
            lock.__enter__()
        except OSError as error:
            raise unwritable(error) from error
        self._lock = lock
        try:
            recover(self._store)
            _bury(self._store)
        except BaseException as error:
            lock.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._lock is not None
        try:
            if kind is None:
                self._commit()
        finally:
            self._lock.__exit__(kind, error, trace)
        if self.operation:
            self._store.changed(self.operation)

    def _commit(self) -> None:
        moves = [move for move in self._moves.values() if move.old != move.new]
        for move in self._moves.values():
            if move.old == move.new and self._store.ref(move.ref) != move.old:
                raise Conflict(f"{move.ref} moved in the meantime", "run the command again")
        if not moves and not self._heads and not self._titled:
            return
        for move in moves:
            if move.new and not self._store.reader.has(move.new):
                raise FormatError(f"object {move.new} is not in the store, so no ref can name it")
        self._store.presence.announce()
        entry = self._entry(moves)
        log = self._store.oplog
        apply(self._store, entry, lambda: log.begin(entry))
        self.operation = int(entry["id"])

    def _entry(self, moves: list[RefMove]) -> Entry:
        number = self._store.oplog.last_id() + 1
        lost = [move.old for move in moves if self._loses(move)]
        while lost and self._store.refs(f"{UNDO}{number}/"):
            number += 1  # the end of the log is lost, but not what it held for undo
        entry: Entry = {
            "id": number,
            "time": int(time.time()),
            "verb": self._verb,
            "refs": [list(move) for move in moves],
            "heads": [[key, self._head(key), *new] for key, new in self._heads.items()],
            "kept": [[f"{UNDO}{number}/{n}", old] for n, old in enumerate(dict.fromkeys(lost), 1)],
            "directory": self._directory,
            "automatic": self._automatic,
        }
        if self._undoes:
            entry["undoes"] = self._undoes
        if self._renamed:
            entry["renamed"] = list(self._renamed)
        if self._titled:
            entry["titled"] = list(self._titled)
        if self._notes:
            entry["notes"] = self._notes
        return {name: value for name, value in entry.items() if value or name in ("id", "refs")}

    def _head(self, key: str) -> str:
        return str((self._store.records.read("heads", key) or {}).get("head", ""))

    def _loses(self, move: RefMove) -> bool:
        """Whether the old value could become unreachable, so that undo must hold it.

        Working states that automatic saves keep replacing are not held: they would pile up.
        """
        if not move.old or (self._automatic and move.ref.startswith(WIP)):
            return False
        if not move.ref.startswith((HEADS, WIP)) or not move.new:
            return True
        try:
            return not self._store.is_ancestor(move.old, move.new)
        except FormatError:
            # A damaged history cannot prove it; the save must succeed all the same.
            return True


def title_of(store: Store, session: str) -> str:
    """The title that a person gave a session, "" if nobody did."""
    return str((store.records.read("titles", session) or {}).get("title", ""))


def _is_plain(word: str) -> bool:
    return 0 < len(word) <= 64 and _LETTERS.issuperset(word)


def apply(store: Store, entry: Entry, begin: Callable[[], None]) -> None:
    """Carry out a journal entry: refs, HEADs, log. `begin` is called once nothing can refuse."""
    moves = [RefMove(*row) for row in entry["refs"]]
    kept = [RefMove(ref, "", old) for ref, old in entry.get("kept", ())]
    store.ref_files.move(moves + kept, begin)
    _finish(store, entry)


def _finish(store: Store, entry: Entry) -> None:
    for key, _, new, name in entry.get("heads", ()):
        _set_head(store, key, new, name, entry)
    if entry.get("renamed"):
        from gitsession.store import renamed

        renamed.follow(store, *entry["renamed"], back=entry.get("verb") == "undo")
    if entry.get("titled"):
        session, title = entry["titled"]
        if title:
            store.records.write("titles", session, {"title": title})
        else:
            store.records.remove("titles", session)
    if store.oplog.last_id() < entry["id"]:
        line = dict(entry)
        if "heads" in line:
            line["heads"] = [row[:3] for row in line["heads"]]
        store.oplog.append(line)
    store.oplog.end()


def _set_head(store: Store, key: str, new: str, name: str, entry: Entry) -> None:
    if not new:
        store.records.remove("heads", key)
        return
    before = store.records.read("heads", key) or {}
    person = before.get("person", 0) if entry.get("automatic") else entry["time"]
    record = {
        "head": new, "person": person, "time": entry["time"],
        "name": name or before.get("name", ""),
    }  # fmt: skip
    store.records.write("heads", key, record)


def _bury(store: Store) -> None:
    for owner in store.presence.dead():
        from gitsession.store.leftovers import bury

        bury(store, owner)
        process = owner.partition("-")[0]
        store.notices.append(f"cleared what process {process} had left when it was killed")


def recover(store: Store) -> None:
    """Finish what a killed process had begun. The caller holds the store's lock."""
    entry = store.oplog.pending()
    if entry is None:
        return
    rows = [*entry["refs"], *([ref, "", old] for ref, old in entry.get("kept", ()))]
    for ref, old, new in rows:
        try:
            sound = not new or (is_id(new) and store.reader.has(new))
            if sound and store.ref_files.read(ref) == old:
                store.ref_files.move([RefMove(ref, old, new)])
        except (Conflict, FormatError):
            # Another git program has moved it since; its change is newer.
            continue
    _finish(store, entry)
    store.notices.append(f"finished a change ({entry.get('verb', '')}) that was interrupted")
