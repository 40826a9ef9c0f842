"""Which records belong to which session, so that one session's are found without reading all.

The index is a hint that only grows: a line is written before the record that it announces. Readers
check the records themselves. A record without a line (written by an older release, or the file was
removed) is read once and then indexed. A line that assigns a known record to another session is
synced before the record is written, so a power cut never leaves a wrong hint. Lines are ASCII: a
file with any other byte is damaged and ignored, and the next writer starts a new one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from gitsession.files import BINARY, sync
from gitsession.store.objects import make_folder, write_all


class SessionIndex:
    """The file at `path`. A line is an escaped session name, a blank, a record's file name."""

    def __init__(self, path: str) -> None:
        self._path = path

    def add(self, rows: Iterable[tuple[str, str]]) -> None:
        """Add (session, file name) pairs, both escaped. Raises OSError."""
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
        try:  # a line torn by a full disk is terminated first
            write_all(descriptor, data if known.endswith(b"\n") else b"\n" + data)
            if any(entry in known for _, entry in new):
                sync(descriptor)
        finally:
            os.close(descriptor)

    def among(self, entries: Iterable[str], session: str, look: Callable[[str], str]) -> list[str]:
        """The file names that may belong to a session. For a file that is not indexed yet, `look`
        returns the session."""
        told = self.told()
        unknown = [(look(entry), entry) for entry in entries if entry not in told]
        for name, entry in unknown:
            told[entry] = {name}
        try:  # noqa: SIM105 - contextlib costs start-up
            self.add(unknown)
        except OSError:
            pass  # lookups also work where nothing can be written
        return [entry for entry in entries if session in told[entry]]

    def told(self) -> dict[str, set[str]]:
        """The sessions that lines name, by file name of the record; {} if the file is damaged."""
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
