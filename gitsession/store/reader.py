"""Reading objects: loose ones here, packed ones by `git cat-file --batch`, else by a library."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gitsession.errors import FormatError
from gitsession.store import process
from gitsession.store.objects import MAX_SIZE, LooseObjects, damaged, is_id
from gitsession.store.packindex import PackedIds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Lookup = Callable[[str], tuple[str, bytes] | None]


class Reader:
    """All objects of a store, by id. Keeps at most one child process; `close` ends it."""

    def __init__(self, folder: str, git: str, variables: Mapping[str, str]) -> None:
        self._folder = folder
        self._git = git
        self._variables = variables
        self._loose = LooseObjects(folder)
        self._batch: _Batch | None = None
        self._library: Lookup | None = None

    def read(self, identity: str) -> tuple[str, bytes]:
        """Kind and content. Raises FormatError for what is missing or damaged."""
        if not is_id(identity):
            raise FormatError("not the id of an object", hint="an id has 40 hex digits")
        broken: FormatError | None = None
        try:
            found = self._loose.read(identity)
        except FormatError as error:
            # A pack may hold a good copy. If none does, git is not asked: `cat-file` announces the
            # size in the header of a damaged loose object and then gives fewer bytes.
            if not PackedIds(self._folder).touch(identity):
                raise
            broken, found = error, None
        found = found or self._packed(identity)
        if found is None:
            raise broken or damaged(identity, "is missing")
        return found

    def of_kind(self, identity: str, kind: str) -> bytes:
        found, data = self.read(identity)
        if found != kind:
            raise FormatError(
                f"object {identity} is a {found}, not a {kind}", hint="run `gitsession fsck`"
            )
        return data

    def has(self, identity: str) -> bool:
        """Whether it is there, by a look at file names and pack indexes alone."""
        return os.path.exists(self._loose.path(identity)) or PackedIds(self._folder).touch(identity)

    def close(self) -> None:
        batch, self._batch = self._batch, None
        self._library = None
        if batch is not None:
            batch.close()

    def _packed(self, identity: str) -> tuple[str, bytes] | None:
        if not self._git:
            self._library = self._library or _library(self._folder)
            return self._library(identity)
        if self._batch is None or not self._batch.mine:
            command = process.git_command(self._git, self._folder, ("cat-file", "--batch"))
            self._batch = _Batch(command, self._variables)
        try:
            return self._batch.read(identity)
        except FormatError:
            self.close()
            raise


class _Batch:
    """One `git cat-file --batch`: ids in, objects out."""

    def __init__(self, command: list[str], variables: Mapping[str, str]) -> None:
        self._child = process.Child(command, variables, feed=True)
        self._output = os.fdopen(self._child.output, "rb", closefd=False)
        self._owner = os.getpid()

    @property
    def mine(self) -> bool:
        """False in a forked process: two readers on one pipe would mix their answers."""
        return self._owner == os.getpid()

    def read(self, identity: str) -> tuple[str, bytes] | None:
        try:
            os.write(self._child.input, identity.encode() + b"\n")
        except BrokenPipeError:
            raise damaged(identity) from None
        words = self._output.readline().split()
        if len(words) == 2 and words[1] == b"missing":
            return None
        if len(words) != 3 or not words[2].isdigit():
            raise damaged(identity)
        size = int(words[2])
        if size > MAX_SIZE:
            raise damaged(identity, "is too large")
        data = self._output.read(size + 1)
        if len(data) != size + 1:
            raise damaged(identity)
        return words[1].decode("ascii", "replace"), data[:-1]

    def close(self) -> None:
        if self.mine:
            self._output.close()
            self._child.close()


def _library(folder: str) -> Lookup:
    """Where no git program is: pygit2, and dulwich where there is no pygit2 either."""
    try:
        return _pygit2_lookup(folder)
    except ImportError:
        return _dulwich_lookup(folder)


def _pygit2_lookup(folder: str) -> Lookup:
    import pygit2

    names = {
        pygit2.enums.ObjectType.BLOB: "blob",
        pygit2.enums.ObjectType.TREE: "tree",
        pygit2.enums.ObjectType.COMMIT: "commit",
        pygit2.enums.ObjectType.TAG: "tag",
    }
    odb = pygit2.Odb(f"{folder}/objects")

    def lookup(identity: str) -> tuple[str, bytes] | None:
        try:
            kind, data = odb.read(identity)
        except KeyError:
            return None
        except pygit2.GitError as error:
            raise damaged(identity) from error
        return names[kind], data

    return lookup


def _dulwich_lookup(folder: str) -> Lookup:
    import zlib

    from dulwich.errors import ApplyDeltaError, ChecksumMismatch
    from dulwich.object_store import DiskObjectStore

    store = DiskObjectStore(f"{folder}/objects")
    names = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}

    def lookup(identity: str) -> tuple[str, bytes] | None:
        try:
            kind, data = store.get_raw(identity.encode())  # type: ignore[arg-type]
        except KeyError:
            return None
        except (ApplyDeltaError, ChecksumMismatch, zlib.error, AssertionError, ValueError) as error:
            raise damaged(identity) from error
        return names[kind], data

    return lookup
