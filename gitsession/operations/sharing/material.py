"""What a set of versions holds that others do not: each turn joined with its cut strings, each
sidecar and file once, however many versions hold it. The guards scan this."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from gitsession import snapshot
from gitsession.errors import FormatError
from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.snapshot.decoding import blob_records
from gitsession.snapshot.layout import (
    FILES,
    INSTRUCTIONS,
    SESSION,
    SIDECARS,
    STATE,
    STREAMS,
    stream_folder,
)
from gitsession.snapshot.limits import FOLDER
from gitsession.snapshot.paths import unescape, unescape_file
from gitsession.store import trees
from gitsession.store.below import held_by
from gitsession.store.view import MAX_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.session import Session
    from gitsession.store import Store
    from gitsession.store.view import TreeView


def missing_versions(store: Store, wanted: Iterable[str], there: Iterable[str]) -> list[Version]:
    """Return the versions reachable from `wanted` but not from `there`, oldest first."""
    starts, hidden = sorted(set(wanted) - set(there)), sorted(set(there))
    return list(store.log(starts, hidden=hidden))[::-1]


_PLAIN_FILE = b"100"
_KNOWN = (SESSION, STATE, STREAMS, SIDECARS, FILES, INSTRUCTIONS)


class Material:
    """What is new, version by version; whatever the versions in `there` hold counts as seen."""

    def __init__(self, store: Store, there: Iterable[str] = ()) -> None:
        self._store = store
        self._seen: set[str] = set()
        self._held: Container[str] | None = None
        self.there = frozenset(there)

    def fork(self) -> Material:
        """Return a copy that has seen the same and continues independently."""
        other = Material(self._store, self.there)
        other._held, other._seen = self._of_there(), set(self._seen)
        return other

    def _of_there(self) -> Container[str]:
        """Return what the versions in `there` hold; read when the first other version is."""
        if self._held is None:
            self._held = held_by(self._store, sorted(self.there))
        return self._held

    def pass_over(self, version: Version) -> None:
        """Count everything that this version holds as seen."""
        for _ in self._fresh(version.tree, ""):
            pass

    def of(self, version: Version) -> tuple[Session | None, list[tuple[str, bytes]]]:
        """Return the session of a version with only what was not seen before: its metadata always,
        then new turns (with the last record before them, for text that spans the border), new
        sidecars, files and instructions; and whatever else is new in its tree, by path.

        A commit that is no version (a README) has no session. Raises FormatError.
        """
        tree = self._store.tree(version.tree)
        fresh = list(self._fresh(version.tree, ""))
        if SESSION not in tree:
            return None, [(path, tree[path]) for path in fresh]
        others = [(path, tree[path]) for path in fresh if not path.startswith(_KNOWN)]
        return _session(tree, fresh), others

    def _fresh(self, tree: str, prefix: str) -> Iterator[str]:
        """Yield the paths of blobs that no earlier tree had; known folders are not opened again."""
        there = self._of_there()
        if tree in self._seen or tree in there:
            return
        if prefix.count("/") > MAX_DEPTH:
            raise FormatError(f"tree {tree} is too deep", hint="run `gitsession fsck`")
        self._seen.add(tree)
        entries = trees.parse(self._store.reader.of_kind(tree, "tree"), tree)
        for name, (mode, binary) in entries.items():
            identity, path = binary.hex(), prefix + name.decode("utf-8", "surrogateescape")
            if mode == trees.TREE:
                yield from self._fresh(identity, path + "/")
            elif not mode.startswith(_PLAIN_FILE):
                raise FormatError(f"tree {tree} holds a link or a foreign repository")
            elif identity not in self._seen and identity not in there:
                self._seen.add(identity)
                yield path


def _session(tree: TreeView, fresh: list[str]) -> Session:
    head = snapshot.decode_head(tree)
    return head.session._replace(
        streams=tuple(_streams(tree, head, fresh)),
        sidecars=tuple(
            Sidecar(unescape(path.removeprefix(SIDECARS)), tree[path])
            for path in fresh
            if path.startswith(SIDECARS)
        ),
        files=tuple(_files(tree, fresh, FILES)),
        instructions=tuple(_files(tree, fresh, INSTRUCTIONS)),
    )


def _files(tree: TreeView, fresh: list[str], folder: str) -> Iterator[File]:
    for path in fresh:
        if path.startswith(folder):
            data = tree[path]
            name, runs = unescape_file(path.removeprefix(folder)), tree.may_run(path)
            yield File(name, data, "", len(data), runs)


def _streams(tree: TreeView, head: snapshot.Head, fresh: list[str]) -> Iterator[Stream]:
    for stream in head.session.streams:
        folder = stream_folder(stream.name) + "/"
        numbers = {_number(path, folder) for path in fresh if path.startswith(folder)}
        records = list(_of_blobs(tree, head, stream.name, sorted(numbers - {-1})))
        yield Stream(stream.name, tuple(records), max(0, stream.count - len(records)))


def _number(path: str, folder: str) -> int:
    """Return which blob of its stream a path belongs to, -1 for a path of another stream."""
    parts = path.removeprefix(folder).partition(".")[0].split("/")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return -1
    return int(parts[0]) * FOLDER * FOLDER + int(parts[1]) * FOLDER + int(parts[2])


def _of_blobs(
    tree: TreeView, head: snapshot.Head, stream: str, numbers: list[int]
) -> Iterator[Record]:
    before = -1
    for number in numbers:
        if number and number - 1 != before:
            yield from list(blob_records(tree, head, stream, number - 1))[-1:]
        yield from blob_records(tree, head, stream, number)
        before = number
