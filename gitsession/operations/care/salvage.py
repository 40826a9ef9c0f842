"""What can still be read of a damaged history: which versions are whole, where it breaks off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.errors import FormatError
from gitsession.store import process, trees
from gitsession.store.packindex import ids_with_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.store import Store


def is_whole(store: Store, at: str) -> bool:
    """Whether everything that an id needs exists, checked by the git program's walk."""
    if not store.git_program:
        return store.reader.has(at)
    command = store.git("rev-list", "--objects", "--quiet", at, "--")
    return process.run(command, store.variables) == 0


class History:
    """What can still be read below some refs: `good` versions, and `missing` commits, each with the
    child that names it (None for a tip)."""

    def __init__(self, store: Store, tips: Iterable[str]) -> None:
        self._store = store
        self._versions: dict[str, Version] = {}
        self._commits: dict[str, str] = {}
        self._trees: dict[str, bool] = {}
        self.missing: dict[str, Version | None] = {}
        for tip in tips:
            self._walk(tip)
        self.good = {one.id for one in self._versions.values() if self._whole(one.tree)}

    def commit_of(self, at: str) -> str:
        """Return the commit that a ref's id means, even if it cannot be read."""
        return self._commits.get(at, at)

    def _walk(self, tip: str) -> None:
        waiting: list[tuple[str, Version | None]] = [(tip, None)]
        while waiting:
            at, child = waiting.pop()
            if at in self._versions or at in self.missing:
                continue
            try:
                version = self._store.version(at)
            except FormatError:
                self.missing[at] = child
                continue
            self._commits[at] = version.id
            self._versions[version.id] = version
            waiting += [(parent, version) for parent in version.parents]

    def oldest_first(self) -> list[Version]:
        """Return the versions, parents before their children."""
        done: dict[str, Version] = {}
        for start in self._versions.values():
            waiting = [start]
            while waiting:
                version = waiting[-1]
                rest = [one for parent in version.parents
                        if parent not in done and (one := self._versions.get(parent))]  # fmt: skip
                if rest:
                    waiting += rest
                else:
                    done.setdefault(version.id, version)
                    waiting.pop()
        return list(done.values())

    def before(self, child: Version) -> str:
        """Return the newest good version, among all in the store, that came before the lost parent
        of `child` in the same session; "" if there is none."""
        session = child.trailers.get("Session")
        if not session:
            return ""
        limit, best, found = number_of(child) - 1, 0, ""
        for version in all_versions(self._store):
            number = number_of(version)
            same = version.trailers.get("Session") == session and best < number < limit
            if same and self._continues(version, child) and is_whole(self._store, version.id):
                best, found = number, version.id
        return found

    def _continues(self, version: Version, child: Version) -> bool:
        """Whether the conversation of `child` begins with that of `version`."""
        try:
            later = dict(self._store.tree(child.tree).walk("streams"))
            return dict(self._store.tree(version.tree).walk("streams")).items() <= later.items()
        except FormatError:
            return False

    def _whole(self, tree: str) -> bool:
        """Whether everything below a tree can be read."""
        if tree not in self._trees:
            try:
                entries = trees.parse(self._store.reader.of_kind(tree, "tree"), tree)
                self._trees[tree] = all(
                    self._whole(identity.hex())
                    if mode == trees.TREE
                    else self._blob(identity.hex())
                    for mode, identity in entries.values()
                )
            except FormatError:
                self._trees[tree] = False
        return self._trees[tree]

    def _blob(self, identity: str) -> bool:
        if identity not in self._trees:
            self._trees[identity] = self._store.reader.has(identity)
        return self._trees[identity]


def number_of(version: Version) -> int:
    text = version.trailers.get("Version", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def all_versions(store: Store) -> Iterator[Version]:
    for first in range(256):
        for identity in ids_with_prefix(store.folder, f"{first:02x}"):
            try:
                kind, _ = store.reader.read(identity)
                if kind == "commit":
                    yield store.version(identity)
            except FormatError:
                continue
