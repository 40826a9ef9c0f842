"""Where new objects go: loose files for a turn or two, a pack for an import."""

from __future__ import annotations

from gitsession.store.objects import LooseObjects, object_id
from gitsession.store.packindex import PackedIds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from gitsession.store.pack import PackFile

    class Sink(Protocol):
        """What a Writer needs."""

        def put(self, kind: str, data: bytes) -> str: ...
        def read(self, identity: str) -> tuple[str, bytes] | None: ...
        def flush(self) -> str: ...
        def abandon(self) -> None: ...
        @property
        def full(self) -> bool: ...


MAX_BYTES = 64 << 20
"""Bytes of one pack."""


class LooseSink:
    """Every object its own file; an object that a pack holds is not written again."""

    full = False

    def __init__(self, folder: str, durable: bool, owner: str = "") -> None:
        self._loose = LooseObjects(folder, durable, owner)
        self._packed = PackedIds(folder)

    def put(self, kind: str, data: bytes) -> str:
        identity = object_id(kind, data)
        if not self._loose.touch(identity) and not self._packed.touch(identity):
            self._loose.write(identity, kind, data)
        return identity

    def read(self, identity: str) -> tuple[str, bytes] | None:
        return self._loose.read(identity)

    def flush(self) -> str:
        return ""

    def abandon(self) -> None:
        """Loose objects that no ref names harm nobody; a later save finds them there."""


class PackSink:
    """Objects into one pack until `flush`; what the store holds already is not written again."""

    def __init__(self, folder: str, owner: str = "") -> None:
        self._folder = folder
        self._owner = owner
        self._loose = LooseObjects(folder)
        self._packed = PackedIds(folder)
        self._pack: PackFile | None = None
        self._flushed: set[str] = set()

    def put(self, kind: str, data: bytes) -> str:
        identity = object_id(kind, data)
        if self._pack is None:
            from gitsession.store.pack import PackFile

            self._pack = PackFile(self._folder, self._owner)
        known = (
            identity in self._pack
            or identity in self._flushed
            or self._loose.touch(identity)
            or self._packed.touch(identity)
        )
        if not known:
            self._pack.write(identity, kind, data)
        return identity

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
