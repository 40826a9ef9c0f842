"""Where new objects go: loose files for a turn or two, a pack for an import."""

from __future__ import annotations

from gitsession.store.objects import LooseObjects, object_id
from gitsession.store.packindex import PackedIds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from gitsession.model.encoded import Data
    from gitsession.store.aside import PackAside
    from gitsession.store.pack import PackFile

    class Sink(Protocol):
        """The part of a sink that a Writer needs."""

        def put(self, kind: str, data: Data) -> str: ...
        def read(self, identity: str) -> tuple[str, bytes] | None: ...
        def flush(self) -> str: ...
        def abandon(self) -> None: ...
        @property
        def full(self) -> bool: ...


MAX_BYTES = 64 << 20
"""Bytes after which a pack counts as full."""


class LooseSink:
    """Writes every object to its own file, unless the store already holds it, loose or packed."""

    full = False

    def __init__(
        self, folder: str, durable: bool, owner: str = "", packed: PackedIds | None = None
    ) -> None:
        self._loose = LooseObjects(folder, durable, owner)
        self._packed = packed or PackedIds(folder)

    def put(self, kind: str, data: Data) -> str:
        identity = object_id(kind, data)
        if not self._loose.touch(identity) and not self._packed.touch(identity):
            self._loose.write(identity, kind, data)
        return identity

    def read(self, identity: str) -> tuple[str, bytes] | None:
        return self._loose.read(identity)

    def flush(self) -> str:
        return ""

    def abandon(self) -> None:
        """Keep the loose objects: without a ref they harm nobody, and a later save reuses them."""


class PackSink:
    """Collects objects in one pack until `flush`; objects that the store already holds are not
    written again. `much` says that there is enough data to be worth a second process, where one is
    possible."""

    def __init__(
        self, folder: str, owner: str = "", packed: PackedIds | None = None, *, much: bool = False
    ) -> None:
        self._folder = folder
        self._much = much
        self._owner = owner
        self._loose = LooseObjects(folder)
        self._folders = self._loose.folders()
        self._listed: dict[str, frozenset[str]] = {}
        self._packed = packed or PackedIds(folder)
        self._pack: PackFile | PackAside | None = None
        self._flushed: set[str] = set()

    def put(self, kind: str, data: Data) -> str:
        if self._pack is None:
            self._pack = self._new_pack()
        identity = object_id(kind, data)
        known = (
            identity in self._pack
            or identity in self._flushed
            or self._is_loose(identity)
            or self._packed.touch(identity)
        )
        if not known:
            self._pack.write(identity, kind, data)
        return identity

    def _new_pack(self) -> PackFile | PackAside:
        from gitsession.digests import quick_sha1
        from gitsession.store.pack import PackFile

        quick_sha1()  # a pack has many objects
        if self._much:
            from gitsession.processes import can_help
            from gitsession.store.aside import PackAside

            try:
                if can_help():
                    return PackAside(self._folder, self._owner)
            except OSError:
                self._much = False  # no more processes available: it just takes longer
        return PackFile(self._folder, self._owner)

    def _is_loose(self, identity: str) -> bool:
        """Answered from listings read once, since checking each object would cost a system call
        each. An object that somebody writes later is stored twice until a repack."""
        start = identity[:2]
        if start not in self._folders:
            return False
        listed = self._listed.get(start)
        if listed is None:
            listed = self._listed[start] = self._loose.names(start)
        return identity[2:] in listed and self._loose.touch(identity)

    def read(self, identity: str) -> tuple[str, bytes] | None:
        return self._pack.read(identity) if self._pack else None

    @property
    def full(self) -> bool:
        return self._pack is not None and self._pack.size >= MAX_BYTES

    def flush(self) -> str:
        pack, self._pack = self._pack, None
        if pack is None:
            return ""
        self._flushed.update(pack.ids())
        return pack.finish()

    def abandon(self) -> None:
        if self._pack is not None:
            self._pack.abandon()
            self._pack = None
