"""Reading objects: loose ones directly, packed ones through `git cat-file --batch` or a library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from gitsession.errors import FormatError
from gitsession.store import process
from gitsession.store.objects import MAX_SIZE, LooseObjects, damaged, is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Lookup = Callable[[str], tuple[str, bytes] | None]

_AT_ONCE = 1000
"""Ids per request: their 41 KB always fit into an empty pipe, so sending one never blocks."""


class Reader:
    """All objects of a store, by id. Keeps at most one child process, which `close` ends."""

    def __init__(self, folder: str, git: str, variables: Mapping[str, str]) -> None:
        self._folder = folder
        self._git = git
        self._variables = variables
        self._loose = LooseObjects(folder)
        self._batch: _Batch | None = None
        self._library: Lookup | None = None

    def read(self, identity: str) -> tuple[str, bytes]:
        """Return (kind, content). Raises FormatError if the object is missing or damaged."""
        if not is_id(identity):
            raise FormatError("not the id of an object", hint="an id has 40 hex digits")
        broken: FormatError | None = None
        try:
            found = self._loose.read(identity)
        except FormatError as error:
            # A pack may hold a good copy. If none does, git is not asked: for a damaged loose
            # object, `cat-file` announces the size from its header and then sends fewer bytes.
            if not self._in_a_pack(identity):
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
        """Whether the object exists, judged by file names and pack indexes alone."""
        return os.path.exists(self._loose.path(identity)) or self._in_a_pack(identity)

    def many(self, identities: Iterable[str]) -> dict[str, tuple[str, bytes]]:
        """Return (kind, content) by id, without missing or damaged objects."""
        found: dict[str, tuple[str, bytes]] = {}
        packed: list[str] = []
        for identity in identities:
            try:
                loose = self._loose.read(identity)
            except FormatError:
                if self._in_a_pack(identity):
                    packed.append(identity)
                continue
            if loose is None:
                packed.append(identity)
            else:
                found[identity] = loose
        for start in range(0, len(packed), _AT_ONCE):
            found.update(self._many_packed(packed[start : start + _AT_ONCE]))
        return found

    def _many_packed(self, identities: list[str]) -> dict[str, tuple[str, bytes]]:
        if self._git and len(identities) > 1:
            try:
                return self._process().read_many(identities)
            except FormatError:
                # One damaged object ends the process: now read each by itself.
                self.close()
        found = {}
        for identity in identities:
            try:
                found[identity] = self.read(identity)
            except FormatError:
                continue
        return found

    def _in_a_pack(self, identity: str) -> bool:
        from gitsession.store.packindex import PackedIds

        return PackedIds(self._folder).touch(identity)

    def close(self) -> None:
        batch, self._batch = self._batch, None
        self._library = None
        if batch is not None:
            batch.close()

    def _packed(self, identity: str) -> tuple[str, bytes] | None:
        if not self._git:
            self._library = self._library or _library(self._folder)
            return self._library(identity)
        try:
            return self._process().read(identity)
        except FormatError:
            self.close()
            raise

    def _process(self) -> _Batch:
        if self._batch is None or not self._batch.mine:
            command = process.git_command(self._git, self._folder, ("cat-file", "--batch"))
            self._batch = _Batch(command, self._variables)
        return self._batch


class _Batch:
    """One `git cat-file --batch` process: ids in, objects out."""

    def __init__(self, command: list[str], variables: Mapping[str, str]) -> None:
        self._child = process.Child(command, variables, feed=True)
        self._output = os.fdopen(self._child.output, "rb", closefd=False)
        self._owner = os.getpid()

    @property
    def mine(self) -> bool:
        """False in a forked process: two readers on one pipe would mix up their answers."""
        return self._owner == os.getpid()

    def read(self, identity: str) -> tuple[str, bytes] | None:
        self._ask(identity)
        return self._answer(identity)

    def read_many(self, identities: list[str]) -> dict[str, tuple[str, bytes]]:
        """Read all in one request; missing objects are left out."""
        self._ask("\n".join(identities))
        answers = [(identity, self._answer(identity)) for identity in identities]
        return {identity: answer for identity, answer in answers if answer is not None}

    def _ask(self, text: str) -> None:
        try:
            os.write(self._child.input, text.encode() + b"\n")
        except BrokenPipeError:
            raise damaged(text[:40]) from None

    def _answer(self, identity: str) -> tuple[str, bytes] | None:
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
        if self.mine and not self._output.closed:
            self._output.close()
            self._child.close()

    def __del__(self) -> None:
        """End the child process of a store that nobody closed."""
        self.close()


def _library(folder: str) -> Lookup:
    """How to read packed objects without a git program: pygit2, or else dulwich."""
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
