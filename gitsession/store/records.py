"""Small JSON records next to the objects: local, never shared, one file each, replaced whole.

The user's folder names never appear in plain text: `directory` turns them into keyed hashes. Every
text in a record must have passed redaction; whoever writes a record is responsible for that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping

from gitsession import files
from gitsession.digests import sha256
from gitsession.files import forget
from gitsession.store import seal
from gitsession.store.objects import make_folder, unwritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.record_index import SessionIndex

OF_BRANCHES = ("state", "findings", "captured")
"""Kinds whose records are named `<session>/<branch>` and follow that branch."""
OF_SESSIONS = ("archived", "titles", "projects", "claims", "names")
"""Kinds whose records are named after a session and follow it."""
KINDS = (
    *OF_BRANCHES, *OF_SESSIONS, "heads", "native", "tombstones", "excluded", "allowed", "listed",
    "failures", "rewritten", "marked", "quarantined",
)  # fmt: skip
_INDEXED = {"native": "branch"}
"""Kinds that may have thousands of records, with the field that names a record's session."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_LONGEST = 200


class Records:
    """The records of one store, by kind and name; a name is any text (`claude/<id>`, a branch).

    `announce` is called before each write and returns the mark for temporary files (see
    `presence`).
    """

    def __init__(
        self, folder: str, key: bytes, announce: Callable[[], str] | None = None,
        durable: bool = False,
    ) -> None:  # fmt: skip
        self._folder = f"{folder}/gitsession"
        self._key = key
        self._durable = durable
        self._announce = announce or (lambda: str(os.getpid()))

    def directory(self, path: str) -> str:
        """What represents a folder of the user: 32 hex digits, different in every user's store."""
        return seal.mac(self._key, b"directory", path.encode("utf-8", "surrogateescape"))[:32]

    def read(self, kind: str, name: str) -> dict[str, object] | None:
        """Return the record, None if there is none or it is damaged (which amounts to the same)."""
        return _load(self._path(kind, name))

    def write(self, kind: str, name: str, value: Mapping[str, object]) -> None:
        path = self._path(kind, name)
        row = {**value, "_name": name}
        data = json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        try:
            if kind in _INDEXED:
                self._tell_index(kind, path, value)
            temporary = f"{path}.tmp{self._announce()}"
            try:
                files.replace(path, data, temporary=temporary, durable=self._durable)
            except FileNotFoundError:
                make_folder(os.path.dirname(path))
                files.replace(path, data, temporary=temporary, durable=self._durable)
        except OSError as error:
            raise unwritable(error) from error

    def remove(self, kind: str, name: str) -> None:
        forget(self._path(kind, name))

    def names(self, kind: str) -> list[str]:
        return [name for name, _ in self.items(kind)]

    def names_of(self, kind: str, session: str) -> list[str]:
        """Names of a kind that begin with `<session>/`. Other records are not read, except those
        with very long names."""
        (folder, entries), begins = self._entries(kind), file_name(f"{session}/")
        near = [entry for entry in entries if "+" in entry or entry.startswith(begins)]
        found = (_load_named(f"{folder}/{entry}") for entry in near)
        return [name for name, value in found
                if value is not None and name.startswith(f"{session}/")]  # fmt: skip

    def items(self, kind: str) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield (name, value) of all undamaged records of a kind, sorted by file name."""
        folder, entries = self._entries(kind)
        for entry in entries:
            name, value = _load_named(f"{folder}/{entry}")
            if value is not None:
                yield name, value

    def _entries(self, kind: str) -> tuple[str, list[str]]:
        """Return the folder of a kind and the sorted file names of its records."""
        folder = os.path.dirname(self._path(kind, "x"))
        try:
            found = os.listdir(folder)
        except FileNotFoundError:
            found = []
        return folder, sorted(entry for entry in found if entry.endswith(".json"))

    def of_session(self, kind: str, session: str) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield a session's (name, value) records of an indexed kind, sorted by file name."""
        (folder, entries), field = self._entries(kind), _INDEXED[kind]

        def look(entry: str) -> str:
            return _session((_load(f"{folder}/{entry}") or {}).get(field))

        for entry in self._index(kind).among(entries, file_name(session), look):
            name, value = _load_named(f"{folder}/{entry}")
            if value is not None and _session(value.get(field)) == file_name(session):
                yield name, value

    def bad_indexes(self) -> Iterator[tuple[str, str]]:
        """Yield (path, problem) of indexes that are damaged or assign a record elsewhere only."""
        for kind, field in _INDEXED.items():
            # Records first: the line of a record exists before the record does.
            rows = [(file_name(name) + ".json", value) for name, value in self.items(kind)]
            index = self._index(kind)
            told, path = index.told(), f"gitsession/{kind}.index"
            if index.is_damaged():
                yield path, "holds bytes that are no text, and counts as none"
            elif any(_session(row.get(field)) not in told.get(entry, {_session(row.get(field))})
                     for entry, row in rows):  # fmt: skip
                yield path, "says another session of a record than the record does"

    def forget_index(self) -> None:
        """Remove the indexes, which may name deleted records; the next lookup rebuilds them."""
        for kind in _INDEXED:
            forget(self._index_file(kind))

    def _index(self, kind: str) -> SessionIndex:
        from gitsession.store.record_index import SessionIndex

        return SessionIndex(self._index_file(kind))

    def _index_file(self, kind: str) -> str:
        return f"{self._folder}/{kind}.index"

    def _tell_index(self, kind: str, path: str, value: Mapping[str, object]) -> None:
        """Called before the record is written: an index may name too much, but lacks nothing."""
        self._index(kind).add([(_session(value.get(_INDEXED[kind])), os.path.basename(path))])

    def _path(self, kind: str, name: str) -> str:
        if kind not in KINDS:
            raise ValueError(f"no such kind of record: {kind}")
        return f"{self._folder}/{kind}/{file_name(name)}.json"


def _session(branch: object) -> str:
    """The session of `<session>/<branch>`, as written in an index."""
    return file_name(str(branch or "").partition("/")[0])


def file_name(name: str) -> str:
    """A file name for any text: percent-escaped; a long one is cut and gets a hash."""
    escaped = "".join(
        chr(byte) if chr(byte) in _PLAIN else f"%{byte:02x}"
        for byte in name.encode("utf-8", "surrogatepass")
    )
    if len(escaped) <= _LONGEST:
        return escaped
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{escaped[: _LONGEST - 66]}+{digest}"


def _load_named(path: str) -> tuple[str, dict[str, object] | None]:
    try:
        with open(path, "rb") as stream:
            value = json.loads(stream.read())
    except (OSError, ValueError, RecursionError):
        return "", None
    if not isinstance(value, dict):
        return "", None
    return str(value.pop("_name", "")), value


def _load(path: str) -> dict[str, object] | None:
    return _load_named(path)[1]
