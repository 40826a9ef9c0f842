"""Which histories today's rules found nothing in, so that they are not read again.

This is a cache in the user's cache folder: it holds keyed hashes only, and deleting it costs only
time. The hash covers whatever could change the result: rule set, scrubbed and allowed values, and
what comes before.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from gitsession.digests import keyed
from gitsession.files import is_regular, make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace

_FILE = "verdicts"
_MOST = 100_000
"""Once the file has this many lines (3.3 MB), it is started anew."""


class Verdicts:
    """What is known to be clean in histories that begin after the commits `there`."""

    def __init__(self, workspace: Workspace, there: Iterable[str] = ()) -> None:
        self._key = workspace.key
        self._path = workspace.environment.cache_dir / _FILE
        parts = [workspace.names.provenance["rules"], *workspace.denied_placeholders(), ""]
        parts += [*sorted(workspace.store.records.names("allowed")), "", *sorted(set(there))]
        self._first = keyed(self._key, "\n".join(parts).encode("utf-8", "surrogatepass"))
        self._known: frozenset[str] | None = None

    def clean(self, ids: Sequence[str]) -> int:
        """Return how many of a history's oldest versions need no reading."""
        known = self._read()
        marks = list(self._marks(ids)) if known else []
        return next((n for n in range(len(marks), 0, -1) if marks[n - 1] in known), 0)

    def add(self, ids: Sequence[str]) -> None:
        """Record that nothing was found in the whole history."""
        *_, mark = self._marks(ids)
        if mark in self._read():
            return
        try:
            make_private(self._path.parent)
            flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if self._known else os.O_TRUNC)
            descriptor = os.open(self._path, flags, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(mark.encode() + b"\n")
        except OSError:
            return  # costs only time
        self._known = self._read() | {mark}

    def _marks(self, ids: Iterable[str]) -> Iterator[str]:
        state = self._first
        for identity in ids:
            state = keyed(self._key, state + identity.encode())
            yield state[:16].hex()

    def _read(self) -> frozenset[str]:
        if self._known is None:
            try:
                lines = self._path.read_bytes().split() if is_regular(self._path) else []
            except OSError:
                lines = []
            kept = lines if len(lines) < _MOST else ()
            self._known = frozenset(line.decode("ascii", "replace") for line in kept)
        return self._known
