"""The operation log: one line per change of refs, append-only; verbs and refs, no arguments.

If a change is interrupted by a kill, the next process finishes it: the journal names every ref, and
is written only after all of them have been locked and checked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping

from gitsession.files import BINARY, forget, read_at, sync
from gitsession.store.objects import unwritable, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitsession.model.report import Operation

    Entry = dict[str, Any]

_CHUNK = 1 << 16


class OperationLog:
    """`gitsession/oplog.jsonl` and its journal. Writers hold the store's lock.

    `durable` syncs both before the next step: the journal, so that a change is completed even after
    a power cut; the log last, which guarantees the refs that moved before it.
    """

    def __init__(self, folder: str, durable: bool = False) -> None:
        self._durable = durable
        self._path = f"{folder}/gitsession/oplog.jsonl"
        self._journal = f"{folder}/gitsession/pending.json"

    def last_id(self) -> int:
        for entry in self.newest_first():
            return int(entry["id"])
        return 0

    def newest_first(self) -> Iterator[Entry]:
        """Yield entries from the end of the file, skipping lines that do not parse."""
        try:
            stream = open(self._path, "rb")  # noqa: SIM115
        except FileNotFoundError:
            return
        with stream:
            for line in _lines_from_end(stream.fileno()):
                entry = _parse(line)
                if entry is not None:
                    yield entry

    def append(self, entry: Mapping[str, object]) -> None:
        """Append a line, first terminating one that a full disk tore, which makes it harmless."""
        data = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BINARY, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size and read_at(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            write_all(descriptor, data)
            self._sync(descriptor)
        except OSError as error:
            raise unwritable(error) from error
        finally:
            os.close(descriptor)

    def replace(self, entries: Iterable[Mapping[str, object]]) -> None:
        """Keep only these entries, oldest first: what the others name no longer exists."""
        from gitsession import files

        lines = [json.dumps(entry, separators=(",", ":")).encode() + b"\n" for entry in entries]
        try:
            files.replace(self._path, b"".join(lines), durable=self._durable)
        except OSError as error:
            raise unwritable(error) from error
        self.end()

    def begin(self, entry: Mapping[str, object]) -> None:
        data = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        descriptor = os.open(self._journal, os.O_WRONLY | os.O_TRUNC | os.O_CREAT | BINARY, 0o600)
        try:
            write_all(descriptor, data)
            self._sync(descriptor)
        finally:
            os.close(descriptor)

    def _sync(self, descriptor: int) -> None:
        if self._durable:
            sync(descriptor)

    def pending(self) -> Entry | None:
        """The change that a killed process had begun, if any. A journal without its final newline
        was never acted on, and is removed."""
        try:
            with open(self._journal, "rb") as stream:
                data = stream.read()
        except FileNotFoundError:
            return None
        entry = _parse(data) if data.endswith(b"\n") else None
        if entry is None:
            self.end()
        return entry

    def is_changing(self) -> bool:
        """Whether a change is in progress or was interrupted."""
        return os.path.exists(self._journal)

    def end(self) -> None:
        forget(self._journal)


def _parse(line: bytes) -> Entry | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and _is_sound(entry) else None


def is_entry(line: bytes) -> bool:
    """Whether a line of the log can be parsed."""
    return _parse(line) is not None


def _is_sound(entry: Entry) -> bool:
    """Whether every field has the type that its readers rely on; a flipped bit can change it."""
    numbers = (entry.get("id"), entry.get("time", 0), entry.get("undoes", 0))
    texts = (entry.get("verb", ""), entry.get("directory", ""))
    return (
        all(isinstance(number, int) for number in numbers)
        and all(isinstance(text, str) for text in texts)
        and isinstance(entry.get("notes", {}), dict)
        and _is_table(entry.get("refs"), 3)
        and _is_table(entry.get("kept", []), 2)
        and _is_table([entry.get("renamed", ["", ""]), entry.get("titled", ["", ""])], 2)
        and (_is_table(entry.get("heads", []), 3) or _is_table(entry.get("heads", []), 4))
    )


def _is_table(rows: object, width: int) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == width and all(isinstance(text, str) for text in row)
        for row in rows
    )


def _lines_from_end(descriptor: int) -> Iterator[bytes]:
    position = os.fstat(descriptor).st_size
    rest = b""
    while position > 0:
        size = min(_CHUNK, position)
        position -= size
        rest = read_at(descriptor, size, position) + rest
        first, *lines = rest.split(b"\n")
        for line in reversed(lines):
            if line:
                yield line
        rest = first
    if rest:
        yield rest


def operation(entry: Entry) -> Operation:
    """The value that the log prints; heads and notes are in `details`."""
    from gitsession.model.report import Operation

    details = dict(entry.get("notes") or {})
    if entry.get("heads"):
        details["heads"] = [list(row) for row in entry["heads"]]
    return Operation(
        id=int(entry["id"]),
        time=int(entry.get("time", 0)),
        verb=str(entry.get("verb", "")),
        refs=tuple((str(ref), str(old), str(new)) for ref, old, new in entry["refs"]),
        directory=str(entry.get("directory", "")),
        automatic=bool(entry.get("automatic")),
        undoes=int(entry.get("undoes", 0)),
        details=details,
    )
