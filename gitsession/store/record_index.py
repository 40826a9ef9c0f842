"""Which records belong to which session, so that those of one are found without reading all.

A hint that only ever grows: a line is written before the record it tells of. Who reads looks at
the records themselves; one that no line tells of (an older release wrote it, or the file was
removed) is read once, and then known. A line that gives a known record to another session is on
the disk before the record is: no power cut leaves a wrong hint. Lines are ASCII: a file with any
other byte is damaged, says nothing, and the next writer begins it anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from gitsession.files import BINARY
from gitsession.store.objects import make_folder, write_all


class SessionIndex:
    """The file at `path`: lines of an escaped session, a blank and the file name of a record."""

    def __init__(self, path: str) -> None:
        self._path = path

    def add(self, rows: Iterable[tuple[str, str]]) -> None:
        """Tell of (session, file name) pairs, both escaped. Raises OSError."""
        known = self._read()
        damaged = not known.isascii()
        known = b"\n" if damaged else known
        lines = [(session.encode(), f" {entry}\n".encode()) for session, entry in rows]
        new = [row for row in lines if b"\n" + b"".join(row) not in known]
        if not new:
            return
        data = b"".join(map(b"".join, new))
        make_folder(os.path.dirname(self._path))
        flags = os.O_WRONLY | os.O_CREAT | BINARY | (os.O_TRUNC if damaged else os.O_APPEND)
        descriptor = os.open(self._path, flags, 0o600)
        try:  # a line that a full disk tore is ended first
            write_all(descriptor, data if known.endswith(b"\n") else b"\n" + data)
            if any(entry in known for _, entry in new):
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def among(self, entries: Iterable[str], session: str, look: Callable[[str], str]) -> list[str]:
        """Those of the file names that may belong to a session; of one that is not known, `look`
        tells the session."""
        told = self.told()
        unknown = [(look(entry), entry) for entry in entries if entry not in told]
        for name, entry in unknown:
            told[entry] = {name}
        try:  # noqa: SIM105 - contextlib costs start-up
            self.add(unknown)
        except OSError:
            pass  # to look is possible where nothing can be written
        return [entry for entry in entries if session in told[entry]]

    def told(self) -> dict[str, set[str]]:
        """The sessions that lines name, by the file name of the record; none of a damaged file."""
        told: dict[str, set[str]] = {}
        data = self._read()
        for line in data.decode("ascii").split("\n") if data.isascii() else ():
            name, _, entry = line.partition(" ")
            told.setdefault(entry, set()).add(name)
        return told

    def is_damaged(self) -> bool:
        return not self._read().isascii()

    def _read(self) -> bytes:
        try:
            with open(self._path, "rb") as stream:
                return b"\n" + stream.read()
        except OSError:
            return b"\n"
