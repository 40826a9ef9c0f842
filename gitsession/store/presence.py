"""Which processes are writing to a store, and which were killed while writing, so that the
leftovers of the dead can be removed.

While it lives, a writer holds a lock on a file in `gitsession/running/` and marks its temporary
files with that file's name. The kernel releases the lock when the process ends, so nothing is
guessed from ages, clocks or process ids: a file that exists and is not locked belonged to a process
that was killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from gitsession.errors import StoreBusy
from gitsession.files import Lock
from gitsession.store.objects import make_folder, unwritable

_ATTEMPTS = 20


class Presence:
    """One open store of this process. `owner` is part of the names of its temporary files."""

    def __init__(self, folder: str) -> None:
        self._folder = f"{folder}/gitsession/running"
        self._lock: Lock | None = None
        self.owner = _new_owner()

    def announce(self) -> str:
        """Show that this process writes, before its first temporary file; return `owner`."""
        if self._lock is None:
            try:
                self._lock = self._take()
            except OSError as error:
                raise unwritable(error) from error
        return self.owner

    def _take(self) -> Lock:
        for _ in range(_ATTEMPTS):
            path = f"{self._folder}/{self.owner}"
            lock = Lock(path, timeout=0.0)
            try:
                lock.__enter__()
            except FileNotFoundError:
                make_folder(self._folder)
                continue
            except StoreBusy:
                self.owner = _new_owner()
                continue
            if os.fstat(lock.descriptor).st_nlink:
                return lock
            # Between creation and locking, somebody took the file for a dead process's.
            lock.__exit__(None, None, None)
        raise StoreBusy("the store's list of writers changes too fast", "run the command again")

    def leave(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.leave()

    def __del__(self) -> None:
        self.leave()

    def dead(self) -> Iterator[str]:
        """Yield the owners of killed writers. The caller removes what an owner left before it asks
        for the next one, and the owner is then forgotten; until then its file is locked, so nobody
        takes that name."""
        try:
            found = os.listdir(self._folder)
        except FileNotFoundError:
            return
        for owner in found:
            if owner == self.owner:
                continue
            try:
                lock = Lock(f"{self._folder}/{owner}", timeout=0.0).__enter__()
            except StoreBusy:
                continue  # alive
            try:
                yield owner
            except BaseException:
                lock.__exit__(None, None, None)
                raise
            lock.leave()


def _new_owner() -> str:
    return f"{os.getpid()}-{os.urandom(4).hex()}"
