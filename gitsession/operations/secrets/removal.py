"""The removal of known values from everything stored: which objects hold them, and what each
becomes. The form of a version stays intact: frames, names of turn folders, what JSON needs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitsession import snapshot
from gitsession.errors import Conflict, FormatError
from gitsession.redaction.halves import Halves
from gitsession.redaction.spellings import KnownValues
from gitsession.snapshot import turnblob
from gitsession.snapshot.layout import SESSION, STATE, STREAMS
from gitsession.store.every import every_file, every_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store import Store

_TURN = re.compile(r"[0-9]{2}(?:\.turn-records\.jsonl|\.s[0-9]+\.long-string\.txt)?(?:\.p[0-9]+)?")
_RECORDS = ".turn-records.jsonl"
_JSON = (".jsonl", ".json", ".yaml")


class Removal:
    """The Change that replaces values by their placeholders. `look` must have run."""

    def __init__(self, values: Mapping[bytes, str]) -> None:
        self._known = KnownValues(values)
        halves = [Halves(value, name) for value, name in values.items()]
        self._halves = [half for half in halves if half.possible]
        self.objects: set[str] = set()
        self.kinds: dict[str, int] = {}
        self.total = 0
        self.checked = 0

    def look(self, store: Store) -> None:
        """Read all objects and find those that hold a value or half of one."""
        with_half: dict[str, bytes] = {}
        for identity, kind, data in every_object(store):
            self.total += 1
            if self._known.stands_in(data):
                self._hit(identity, kind)
            # Every half must look: a hit of one says nothing about the others.
            if kind == "blob" and sum(half.look(data) for half in self._halves):
                with_half[identity] = data if len(with_half) < 1000 else b""
        self._halves = [half for half in self._halves if half.cuts]
        for identity, data in with_half.items():
            data = data or store.reader.of_kind(identity, "blob")
            if any(half.stand_in(data) for half in self._halves):
                self._hit(identity, "blob")

    def _hit(self, identity: str, kind: str) -> None:
        if identity not in self.objects:
            self.objects.add(identity)
            self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def stands_in(self, data: bytes) -> bool:
        return self._known.stands_in(data)

    def left_in(self, store: Store) -> list[str]:
        """Return where a value still occurs, after reading all objects and all other files; empty
        if nowhere."""
        left = []
        self.checked = 0
        for identity, kind, data in every_object(store):
            self.checked += 1
            if self._known.stands_in(data) or any(half.stand_in(data) for half in self._halves):
                left.append(f"{kind} {identity[:12]}")
        for path, data in every_file(store):
            name = path.encode("utf-8", "replace")
            if self._known.stands_in(data) or self._known.stands_in(name):
                left.append(self.text(name).decode("utf-8", "replace"))
        return left

    def touches(self, identity: str) -> bool:
        return identity in self.objects

    def blob(self, path: str, data: bytes) -> bytes:
        if path.startswith(STREAMS) and path.endswith(_RECORDS):
            try:
                made = turnblob.rewritten(data, self._in_document)
            except turnblob.Damaged:
                made = self._in_document(data)
        elif path.startswith(STREAMS):  # a part, or a string that was cut out
            made = self._replaced(self._known.replace(data, in_json=True))
        elif path.endswith(_JSON):
            made = self._in_document(data)
        else:
            made = self._replaced(self._known.replace(data))
        if made == data:
            return data
        if path in (SESSION, STATE):
            _check_head(path, made)
        return made

    def _in_document(self, data: bytes) -> bytes:
        return self._replaced(self._known.replace(data, in_json=True, bare=True))

    def _replaced(self, data: bytes) -> bytes:
        for half in self._halves:
            data = half.replace(data)
        return data

    def name(self, path: str, name: bytes) -> bytes:
        """Return the new name of an entry of the folder `path`; names that the format uses stay."""
        text = name.decode("utf-8", "surrogateescape")
        if not path or (path.startswith(STREAMS) and _TURN.fullmatch(text)):
            return name
        return self._known.replace(name)

    def text(self, text: bytes) -> bytes:
        return self._known.replace(text)


def _check_head(path: str, data: bytes) -> None:
    """Raises Conflict for a value that is part of the format, whose removal would break it."""
    try:
        if path == SESSION:
            snapshot.decode_head({SESSION: data})
        else:
            from gitsession.snapshot import yamlsubset

            yamlsubset.load(data, STATE)
    except FormatError as error:
        raise Conflict(
            "that value is part of the format of every version; nothing was changed",
            hint="scrub a longer part of the text around it",
        ) from error
