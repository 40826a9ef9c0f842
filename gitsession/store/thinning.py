"""Leaving versions out of a history. The remaining versions keep their trees; their parents become
the nearest kept versions before them. The result maps old to new ids, like a rewrite."""

from __future__ import annotations

from collections.abc import Iterable

from gitsession.model.history import TRAILER
from gitsession.store import seal
from gitsession.store.rewrite import new_head
from gitsession.store.sinks import PackSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.store.store import Store

_THINNED = f"{TRAILER}Thinned: ".encode()


class Thinner:
    """`ids` maps the commits and tags that changed, `gone` each version left out to the nearest
    later one that stayed (its new id)."""

    def __init__(self, store: Store, keep: Iterable[str]) -> None:
        self._store = store
        self._keep = frozenset(keep)
        self._sink = PackSink(store.folder, store.presence.announce())
        self._parents: dict[str, tuple[str, ...]] = {}
        self._before: dict[str, tuple[str, ...]] = {}
        self._own: dict[str, bool] = {}
        self._numbers: dict[str, int] = {}
        self.ids: dict[str, str] = {}
        self.gone: dict[str, str] = {}

    def run(self, tips: Iterable[str]) -> None:
        """Rewrite everything reachable from these ids (of commits or tags). Raises FormatError if
        an object is damaged."""
        tips = list(dict.fromkeys(tips))
        commits = list(dict.fromkeys(self._store.version(tip).id for tip in tips))
        self.over(list(self._store.log(commits))[::-1], tips)

    def stand_in(self, missing: str, instead: str) -> None:
        """Replace the parent `missing` by `instead` ("" for none) wherever it occurs."""
        self._parents[missing] = (instead,) if instead else ()
        self._own[missing] = bool(instead) and self._store.is_own(instead)
        if instead:
            self._numbers[instead] = _number(self._store.version(instead))

    def over(self, history: Iterable[Version], tips: Iterable[str]) -> None:
        """Like `run`, for versions that the caller has already read, parents before children."""
        try:
            for version in history:
                self._one(version)
            for tip in tips:
                self._tag(tip)
        except BaseException:
            self._sink.abandon()
            raise
        if keep := self._sink.flush():
            self._store.keep(keep)

    def new(self, identity: str) -> str:
        return self.ids.get(identity, identity)

    def nearest(self, identity: str) -> str:
        """The new id of a version, or of the nearest one before it that stayed; "" if none did."""
        return next(iter(self._parents.get(identity, ())), "")

    def _one(self, version: Version) -> None:
        data = self._store.reader.of_kind(version.id, "commit")
        message = data.partition(b"\n\n")[2]
        # A foreign version, or one with a foreign ancestor, must never become the user's own
        # because versions below it are left out: only what was own all the way down is sealed
        # again.
        self._own[version.id] = all(self._own.get(parent) for parent in version.parents) and (
            seal.verify(self._store.key, version.tree, version.parents, message)
        )
        self._before[version.id] = version.parents
        above = [one for parent in version.parents for one in self._parents.get(parent, (parent,))]
        parents = tuple(dict.fromkeys(above))
        if version.id not in self._keep:
            self._parents[version.id] = parents
            return
        new = version.id
        if parents != version.parents:
            new = self._commit(version, data, parents)
            self.ids[version.id] = new
        self._parents[version.id] = (new,)
        self._numbers[new] = _number(version)
        self._say_gone(version, new)

    def _commit(self, version: Version, data: bytes, parents: tuple[str, ...]) -> str:
        head, _, text = data.partition(b"\n\n")
        before = max((self._numbers.get(parent, 0) for parent in parents), default=0)
        text = _counted(seal.unsealed(text), _number(version) - before - 1)
        if self._own[version.id]:
            text = seal.sealed(self._store.key, version.tree, parents, text)
        return self._sink.put("commit", new_head(head, version.tree, parents) + b"\n\n" + text)

    def _say_gone(self, version: Version, new: str) -> None:
        waiting = list(version.parents)
        while waiting:
            parent = waiting.pop()
            if parent not in self._keep and parent not in self.gone:
                self.gone[parent] = new
                waiting += self._before.get(parent, ())

    def _tag(self, identity: str) -> None:
        kind, data = self._store.reader.read(identity)
        if kind != "tag":
            return
        target = data[7:47].decode("ascii", "replace")
        self._tag(target)
        if self.new(target) != target:
            made = b"object " + self.new(target).encode() + data[47:]
            self.ids[identity] = self._sink.put("tag", made)


def _number(version: Version) -> int:
    text = version.trailers.get("Version", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _counted(message: bytes, count: int) -> bytes:
    """The message with the number of versions left out right before it, so that a check can tell
    this gap from damage."""
    lines = [line for line in message.splitlines(True) if not line.startswith(_THINNED)]
    if count > 0 and lines and lines[-1].startswith(TRAILER.encode()):
        lines.append(_THINNED + b"%d\n" % count)
    return b"".join(lines)
