"""Rewriting a whole history: blobs, trees, commits, tags and ref names, as a map of old to new ids.

Whatever does not change keeps its id. This module does not know what is removed; the `Change` does.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitsession.store import names, seal, trees
from gitsession.store.history import parse
from gitsession.store.sinks import PackSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from gitsession.store.store import Store

    class Change(Protocol):
        """What becomes of contents. Each method returns the same object if nothing changes."""

        def touches(self, identity: str) -> bool:
            """Whether the content of an object may have to change, wherever it is used."""

        def blob(self, path: str, data: bytes) -> bytes: ...
        def name(self, path: str, name: bytes) -> bytes: ...
        def text(self, text: bytes) -> bytes: ...


_SIGNED = (b"gpgsig", b"gpgsig-sha256", b"mergetag")


class Rewriter:
    """Rewrites what refs reach into new packs. `ids` maps the commits and tags that changed."""

    def __init__(self, store: Store, change: Change) -> None:
        self._store = store
        self._change = change
        self._sink = PackSink(store.folder, store.presence.announce())
        self._trees: dict[tuple[str, str], str] = {}
        self._blobs: dict[tuple[str, str], str] = {}
        self.ids: dict[str, str] = {}
        self.seen: set[str] = set()

    def run(self, tips: Iterable[str]) -> None:
        """Rewrite everything reachable from these ids. Raises FormatError for a damaged object."""
        try:
            for tip in tips:
                self._object(tip)
        except BaseException:
            self._sink.abandon()
            raise
        self._flush()

    def new(self, identity: str) -> str:
        return self.ids.get(identity, identity)

    def _flush(self) -> None:
        keep = self._sink.flush()
        if keep:
            self._store.keep(keep)

    def _object(self, identity: str) -> None:
        if identity in self.seen:
            return
        kind, data = self._store.reader.read(identity)
        if kind == "tag":
            self.seen.add(identity)
            self._object(data[7:47].decode("ascii", "replace"))
            self._tag(identity, data)
        elif kind == "commit":
            self._history(identity)

    def _history(self, tip: str) -> None:
        """Rewrite parents before children, without recursion: a history may be very long."""
        waiting = [tip]
        known: dict[str, bytes] = {}
        while waiting:
            commit = waiting[-1]
            if commit in self.seen:
                waiting.pop()
                continue
            if commit not in known:
                known[commit] = self._store.reader.of_kind(commit, "commit")
            missing = [one for one in parse(commit, known[commit]).parents if one not in self.seen]
            if missing:
                waiting += missing
                continue
            self._commit(commit, known.pop(commit))
            self.seen.add(commit)
            waiting.pop()

    def _commit(self, identity: str, data: bytes) -> None:
        version = parse(identity, data)
        tree = self._tree(version.tree, "")
        parents = tuple(map(self.new, version.parents))
        head, _, message = data.partition(b"\n\n")
        if self._change.touches(identity):
            head, text = self._change.text(head), self._change.text(message)
        else:
            text = message
        if (tree, parents, text) == (version.tree, version.parents, message) and head in data:
            return
        if seal.verify(self._store.key, version.tree, version.parents, message):
            text = seal.sealed(self._store.key, tree, parents, seal.unsealed(text))
        made = new_head(head, tree, parents) + b"\n\n" + text
        self.ids[identity] = self._sink.put("commit", made)
        if self._sink.full:
            self._flush()

    def _tag(self, identity: str, data: bytes) -> None:
        target = data[7:47].decode("ascii", "replace")
        made = data
        if self._change.touches(identity):
            made = data[:47] + self._change.text(data[47:])
        made = b"object " + self.new(target).encode() + made[47:]
        if made != data:
            self.ids[identity] = self._sink.put("tag", made)

    def _tree(self, identity: str, path: str) -> str:
        known = self._trees.get((identity, path))
        if known is not None:
            return known
        entries = trees.parse(self._store.reader.of_kind(identity, "tree"), identity)
        named = self._change.touches(identity)
        made: trees.Entries = {}
        for name, (mode, binary) in entries.items():
            below = path + name.decode("utf-8", "surrogateescape")
            old = binary.hex()
            if mode == trees.TREE:
                new = self._tree(old, below + "/")
            elif mode == b"160000":
                new = old
            else:
                new = self._blob(old, below)
            if named:
                name = _unused(self._change.name(path, name), name, made, entries)
            made[name] = (mode, binary if new == old else bytes.fromhex(new))
        answer = identity if made == entries else self._sink.put("tree", trees.serialise(made))
        self._trees[identity, path] = answer
        return answer

    def _blob(self, identity: str, path: str) -> str:
        if not self._change.touches(identity):
            return identity
        known = self._blobs.get((identity, path))
        if known is None:
            data = self._store.reader.of_kind(identity, "blob")
            new = self._change.blob(path, data)
            known = identity if new is data else self._sink.put("blob", new)
            self._blobs[identity, path] = known
        return known

    @property
    def blobs(self) -> int:
        """How many blobs were replaced."""
        return len({old for (old, _), new in self._blobs.items() if old != new})


def _unused(name: bytes, old: bytes, made: trees.Entries, entries: trees.Entries) -> bytes:
    """Keep names apart that would become the same."""
    wanted, number = name, 2
    while name != old and (name in made or name in entries):
        name, number = b"%s-%d" % (wanted, number), number + 1
    return name


def new_head(head: bytes, tree: str, parents: tuple[str, ...]) -> bytes:
    """A commit's header with another tree and parents; a signature of the old one is dropped."""
    lines, dropping = [b"tree " + tree.encode()], False
    lines += [b"parent " + parent.encode() for parent in parents]
    for line in head.split(b"\n"):
        if line.startswith(b" "):
            if not dropping:
                lines.append(line)
            continue
        word = line.partition(b" ")[0]
        dropping = word in _SIGNED
        if word not in (b"tree", b"parent") and not dropping:
            lines.append(line)
    return b"\n".join(lines)


def renamed(change: Change, ref: str, taken: Iterable[str]) -> str:
    """The name that a ref may keep: changed if it must be, valid, and not among those taken."""
    text = ref.encode("utf-8", "surrogateescape")
    made = change.text(text)
    if made is text or made == text:
        return ref
    name = made.decode("utf-8", "replace")
    wanted, number = name, 2
    while name in taken or not names.is_ref(name):
        name, number = f"{wanted}-{number}", number + 1
        if number > 1000:
            names.check_ref(wanted)
    return name
