"""An open store: reading ids, refs and versions, and access to everything that writes.

`log` and `list` import this module, so it imports nothing that they do not need.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from gitsession.environment import Environment, find_program
from gitsession.errors import FormatError
from gitsession.files import forget
from gitsession.store import history, layout, names, process
from gitsession.store.objects import make_folder
from gitsession.store.reader import Reader
from gitsession.store.refs import Refs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from gitsession.files import Lock
    from gitsession.model.finding import Clean
    from gitsession.model.history import Tip, Version
    from gitsession.model.report import Operation
    from gitsession.store.oplog import OperationLog
    from gitsession.store.packindex import PackedIds
    from gitsession.store.presence import Presence
    from gitsession.store.records import Records
    from gitsession.store.transaction import Transaction
    from gitsession.store.view import TreeView
    from gitsession.store.writer import Writer

_CARE_EVERY = 50
"""Operations between two packings in the background."""
_NEAR = 64
"""How many commits are checked here before asking the git program about ancestry."""


class Store:
    """One bare gitsession repository. Use `create` or `open`; `close` (or a `with` block) ends the
    child process that reads packed objects.

    `key` is the user's secret for seals and keyed hashes. `durable` syncs every new object and ref
    to disk before the next step; without it, only packs are synced, as git does. `patience` is how
    many seconds to wait for a lock. `default_head` is asked for the branch of a directory whose
    HEAD was never set.
    """

    def __init__(
        self, folder: str, key: bytes, environment: Environment, durable: bool = False
    ) -> None:
        self.key = key
        self.environment = environment
        self.durable = durable
        self.patience = 10.0
        self.is_alone = False
        self.default_head: Callable[[str], str] = lambda _: ""
        self.folder = folder
        self.variables = environment.git()
        self.git_program = find_program("git", environment.variables)
        self.reader = Reader(self.folder, self.git_program, self.variables)
        self.ref_files = Refs(self.folder, durable)
        self._presence: Presence | None = None
        self._keeps: list[str] = []
        self.packs = True
        """Whether it packs itself from time to time; a worker among many leaves that to the process
        that started it."""
        self._records: Records | None = None
        self._oplog: OperationLog | None = None
        self._packed: PackedIds | None = None

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], key: bytes, environment: Environment,
        author: Clean | None = None, durable: bool = False,
    ) -> Store:  # fmt: skip
        """Create a store, or open the gitsession store that already exists there. `author` is `Name
        <address>` for every commit in it. Raises Conflict if the folder contains anything else."""
        folder = os.path.abspath(path)
        layout.create(folder, author or "")
        return cls(folder, key, environment, durable)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], key: bytes, environment: Environment,
        durable: bool = False,
    ) -> Store:  # fmt: skip
        """Open a store. Raises StoreNotFound if there is none, FormatError for a damaged marker or
        a newer format."""
        folder = os.path.abspath(path)
        layout.check(folder)
        return cls(folder, key, environment, durable)

    def close(self) -> None:
        self.reader.close()
        if self._presence is not None:
            self._presence.leave()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The store's folder as a Path; the string `folder` does without importing pathlib."""
        from pathlib import Path

        return Path(self.folder)

    @property
    def is_missing(self) -> bool:
        """Whether it is on no disk (see `place.missing`): empty, for reading but not writing."""
        return not os.path.isdir(self.folder)

    @property
    def author(self) -> str:
        return layout.author(self.folder)

    @property
    def notices(self) -> list[str]:
        """What was repaired on the way, in sentences: locks and leftovers of killed processes."""
        return self.ref_files.notices

    @property
    def presence(self) -> Presence:
        """How other processes see that this one is writing, and which writers were killed."""
        if self._presence is None:
            from gitsession.store.presence import Presence

            self._presence = Presence(self.folder)
        return self._presence

    @property
    def records(self) -> Records:
        """Small JSON records next to the objects."""
        if self._records is None:
            from gitsession.store.records import Records

            self._records = Records(
                self.folder, self.key, lambda: self.presence.announce(), self.durable
            )
        return self._records

    @property
    def oplog(self) -> OperationLog:
        if self._oplog is None:
            from gitsession.store.oplog import OperationLog

            self._oplog = OperationLog(self.folder, self.durable)
        return self._oplog

    def git(self, *arguments: str) -> list[str]:
        """The argument vector of a git command on this store; run it with `self.variables`."""
        return process.git_command(self.git_program, self.folder, arguments)

    # Reading

    def ref(self, name: str) -> str:
        """The id that a ref names, "" if the ref does not exist or the name is invalid."""
        return self.ref_files.read(name) if names.is_ref(name) else ""

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Refs below a prefix: id by name."""
        return self.ref_files.all(prefix)

    def version(self, commit: str) -> Version:
        """The version of a commit id (or of an annotated tag). Raises FormatError."""
        return history.peel(self, commit)

    def log(
        self, commits: Sequence[str], limit: int = 0, skip: int = 0, grep: str = "",
        first_parent: bool = False, hidden: Sequence[str] = (),
    ) -> Iterator[Version]:  # fmt: skip
        """The versions reachable from these commits, newest first; see `history.log`."""
        return history.log(self, commits, limit, skip, grep, first_parent, hidden)

    def tips(self, prefix: str = "refs/heads/", *, lost: bool = False) -> list[Tip]:
        """The newest version of every ref below a prefix; see `history.tips`."""
        return history.tips(self, prefix, lost=lost)

    def tree(self, identity: str) -> TreeView:
        """The files of a version or tree id, read on demand. Raises FormatError for other ids."""
        from gitsession.store.view import TreeView

        kind, _data = self.reader.read(identity)
        if kind == "tree":
            return TreeView(self.reader, identity)
        if kind in ("commit", "tag"):
            return TreeView(self.reader, history.peel(self, identity).tree)
        raise FormatError(f"object {identity} is not a version", hint="run `gitsession fsck`")

    def is_own(self, commit: str, known: set[str] | None = None) -> bool:
        """Whether a version and all its ancestors carry seals of this user's key."""
        return history.is_own(self, commit, known)

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `new` contains `old` in its history."""
        seen = {new}
        waiting = [new]
        while waiting and len(seen) < _NEAR:
            if old in seen:
                return True
            for parent in self.version(waiting.pop(0)).parents:
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        if old in seen or not waiting:
            return old in seen
        if not self.git_program:
            return any(version.id == old for version in self.log([new]))
        command = self.git("merge-base", "--is-ancestor", "--", old, new)
        return process.run(command, self.variables) == 0

    def operations(self) -> Iterator[Operation]:
        """The operations in the log, newest first."""
        from gitsession.store.oplog import operation

        return map(operation, self.oplog.newest_first())

    # Writing

    def lock(self, name: str, timeout: float | None = None) -> Lock:
        """A lock between processes, freed by the kernel if its holder dies. Raises StoreBusy."""
        from gitsession.files import Lock

        if not name or not name.replace("-", "").isalnum():
            raise ValueError("the name of a lock is one plain word")
        wait = self.patience if timeout is None else timeout
        return Lock(self._lock_file(name), wait)

    def at_work(self) -> AbstractContextManager[object]:
        """A shared lock, held from before the first text is read until after the last ref has
        moved: objects are dropped only while nobody holds it. Entering it raises StoreBusy. A
        process that `is_alone` (see `drop.alone`) already holds it exclusively."""
        if self.is_alone:
            from contextlib import nullcontext

            return nullcontext()
        from gitsession.files import Lock

        return Lock(self._lock_file("work"), shared=True)

    def fetching(self, shared: bool = True) -> Lock:
        """A lock held while git may write a pack that somebody sends. Taken not `shared`, which
        does not wait, it proves that nobody is fetching. Entering it raises StoreBusy."""
        from gitsession.files import Lock

        return Lock(self._lock_file("fetch"), self.patience if shared else 0.0, shared)

    def _lock_file(self, name: str) -> str:
        folder = f"{self.folder}/gitsession/locks"
        if not os.path.isdir(folder):  # tools that copy directory trees may leave out empty folders
            make_folder(folder)
        return f"{folder}/{name}"

    def writer(self, bulk: bool = False, *, much: bool = False) -> Writer:
        """A context manager that writes objects: as loose files, or for a `bulk` save as packs,
        with a second process if there is `much` data."""
        from gitsession.store.packindex import PackedIds
        from gitsession.store.sinks import LooseSink, PackSink
        from gitsession.store.writer import Writer

        owner = self.presence.announce()
        if self._packed is None:
            self._packed = PackedIds(self.folder)
        self._packed.refresh()
        if bulk:
            return Writer(self, PackSink(self.folder, owner, self._packed, much=much))
        return Writer(self, LooseSink(self.folder, self.durable, owner, self._packed))

    def transaction(self, verb: str, directory: str = "", automatic: bool = False) -> Transaction:
        """A context manager that moves refs and HEADs, all or none, under the store's lock."""
        from gitsession.store.transaction import Transaction

        return Transaction(self, verb, directory, automatic)

    def head(self, directory: str) -> str:
        """HEAD of a directory: `<session>/<branch>`, an id, or "" if it was never set."""
        record = self.records.read("heads", self.records.directory(directory)) or {}
        head = record.get("head", "")
        return head if isinstance(head, str) else ""

    def keep(self, path: str) -> None:
        """Remember the `.keep` of a new pack until refs name what the pack contains."""
        self._keeps.append(path)

    def changed(self, operation: int) -> None:
        """Called after every transaction, outside the lock, with its number in the log. Removes the
        `.keep` files that are no longer needed and packs now and then."""
        keeps, self._keeps = self._keeps, []
        for path in keeps:
            forget(path)
        if self.packs and operation % _CARE_EVERY == 0:
            self.pack_soon()

    def pack_soon(self) -> None:
        """Pack in the background, without anybody waiting for it."""
        from gitsession.store import care

        care.start(self)
