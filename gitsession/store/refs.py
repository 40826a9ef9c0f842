"""Refs as files: read loose and packed, move several at once by compare-and-swap.

Other git programs are kept out by the same `.lock` files that git uses, our own processes by the
store's lock, which the caller holds. So a lock file of a certain age can only be a leftover.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from gitsession.errors import Conflict, FormatError, StoreBusy
from gitsession.files import BINARY, forget, sync
from gitsession.model.history import RefMove
from gitsession.store import names
from gitsession.store.objects import is_id, make_folder, unwritable, write_all

_STALE = 1.0
"""Seconds. git holds the lock of a ref for milliseconds."""
_PATIENCE = 5.0


class Refs:
    """The refs of one store. `durable` syncs each ref to disk before renaming it into place."""

    def __init__(self, folder: str, durable: bool = False) -> None:
        self._folder = folder
        self._durable = durable
        self._packed_lines: tuple[tuple[int, ...], bytes] = ((), b"")
        self.notices: list[str] = []

    def read(self, name: str) -> str:
        """The id that a ref names, "" if it does not exist. Raises FormatError if the ref is
        damaged or the name is invalid."""
        names.check_ref(name)
        return self._loose(name) or self._in_packed(name)

    def all(self, prefix: str = "refs/") -> dict[str, str]:
        """Return every ref below a prefix that ends with `/`, sorted by name. Damaged refs are left
        out, so that one never hides the others (`fsck` names it)."""
        # Loose first: git packs a ref before deleting its loose file.
        loose = self.loose(prefix)
        found = self._packed(prefix)
        found.update(loose)
        return dict(sorted(found.items()))

    def sessions_ending(self, digits: str) -> set[str]:
        """Local sessions whose names end in a dash and four or more leading digits of `digits`; of
        all others, no more than the name is read."""
        try:
            named = set(os.listdir(f"{self._folder}/refs/heads"))
        except FileNotFoundError:
            named = set()
        lines, mark = self.packed_bytes(), f"-{digits[:4]}".encode()
        place = lines.find(mark)
        while place >= 0:
            start, end = lines.rfind(b"\n", 0, place) + 1, lines.find(b"\n", place)
            named.update(lines[start:end].decode("utf-8", "replace").split("/")[2:3])
            place = lines.find(mark, end)
        return {name for name in named if len(tail := name.rpartition("-")[2]) >= 4
                and digits.startswith(tail)}  # fmt: skip

    def move(self, moves: Iterable[RefMove], before: object = None) -> None:
        """Apply all moves or none. Raises Conflict if a ref is not at its `old` value.

        `before` is called once all refs are locked and checked, right before the first change. The
        caller holds the store's lock.
        """
        batch = _Batch(self, moves)
        try:
            batch.lock()
            if callable(before):
                before()
            batch.apply()
        except OSError as error:
            raise unwritable(error) from error
        finally:
            batch.unlock()

    @property
    def folds(self) -> bool:
        """Whether the file system ignores case, so that two refs could share one file."""
        return os.path.exists(f"{self._folder}/CONFIG")

    def path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _loose(self, name: str) -> str:
        try:
            with open(self.path(name), "rb") as stream:
                text = stream.read(4096)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return ""
        except OSError as error:
            raise FormatError("a ref cannot be read", hint="run `gitsession fsck`") from error
        identity = text[:40].decode("ascii", "replace")
        if not is_id(identity) or text[40:].strip():
            raise FormatError(f"the ref {name} is damaged", hint="run `gitsession fsck`")
        return identity

    def loose(self, prefix: str) -> dict[str, str]:
        """Refs below a prefix that are files of their own."""
        found: dict[str, str] = {}
        top = self.path(prefix.rstrip("/"))
        for folder, _, files in os.walk(top):
            for file in files:
                name = f"{folder}/{file}"[len(self._folder) + 1 :]
                if not name.endswith(".lock") and names.is_ref(name):
                    try:
                        found[name] = self._loose(name)
                    except FormatError:
                        continue
        return {name: at for name, at in found.items() if at}

    def _packed(self, prefix: str = "refs/") -> dict[str, str]:
        rows = (row.decode("utf-8", "replace") for row in self._rows_below(prefix))
        return {row[41:]: row[:40] for row in rows if is_id(row[:40]) and names.is_ref(row[41:])}

    def _rows_below(self, prefix: str) -> Iterator[bytes]:
        """Lines of `packed-refs` with names below a prefix; the other lines are not parsed."""
        lines, begins = self.packed_bytes(), f" {prefix}".encode("utf-8", "replace")
        place = lines.find(begins)
        while place >= 0:
            end = lines.find(b"\n", place)
            if lines[place - 41 : place - 40] in (b"\n", b""):
                yield lines[max(0, place - 40) : end]
            place = lines.find(begins, end)

    def _in_packed(self, name: str) -> str:
        """Find one ref by searching the bytes, rather than parsing thousands of lines."""
        lines = self.packed_bytes()
        end = f" {name}\n".encode("utf-8", "replace")
        place = lines.find(end)
        while place >= 0:
            identity = lines[max(0, place - 40) : place].decode("ascii", "replace")
            if is_id(identity) and lines[place - 41 : place - 40] in (b"\n", b""):
                return identity
            place = lines.find(end, place + 1)
        return ""

    def packed_bytes(self) -> bytes:
        """The content of `packed-refs`, where git keeps refs without a file of their own (and older
        values of loose ones). Read again only if the file was replaced: nobody writes it in place,
        not even git."""
        try:
            with open(f"{self._folder}/packed-refs", "rb") as stream:
                status = os.fstat(stream.fileno())
                seen = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                if seen != self._packed_lines[0]:
                    self._packed_lines = seen, stream.read() + b"\n"
        except FileNotFoundError:
            return b""
        return self._packed_lines[1]

    def drop_packed(self, gone: set[str]) -> None:
        """Rewrite `packed-refs` without these names (and their peeled lines)."""
        path = f"{self._folder}/packed-refs"
        take_lock(path, self.notices)
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as stream:
                lines = stream.read().split("\n")
        except FileNotFoundError:
            os.unlink(path + ".lock")
            return
        kept: list[str] = []
        dropping = False
        for line in lines:
            if line.startswith("^"):
                if not dropping:
                    kept.append(line)
                continue
            dropping = line[41:] in gone
            if not dropping:
                kept.append(line)
        text = "\n".join(kept).encode("utf-8", "surrogateescape")
        self.fill(path + ".lock", text)
        os.replace(path + ".lock", path)

    def packed_among(self, wanted: set[str]) -> set[str]:
        return {name for name in wanted if self._in_packed(name)}

    def fill(self, path: str, data: bytes) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | BINARY)
        try:
            write_all(descriptor, data)
            if self._durable:
                sync(descriptor)
        finally:
            os.close(descriptor)


class _Batch:
    """Several ref moves in progress: lock all, check all, apply all, unlock all."""

    def __init__(self, refs: Refs, moves: Iterable[RefMove]) -> None:
        self._refs = refs
        # A deleted ref comes right before the one that takes over its name in another spelling.
        self._moves = sorted(moves, key=lambda move: (names.folded(move.ref), bool(move.new), move))
        self._locked: list[str] = []

    def lock(self) -> None:
        held = ""
        for move in self._moves:
            names.check_ref(move.ref)
            path = self._refs.path(move.ref)
            new = bool(move.new and not move.old)
            if new:
                self._check_room(move)
            if not (new and held == names.folded(move.ref) and self._refs.folds):
                self._lock(move, path)
            if move.new:
                self._refs.fill(path + ".lock", move.new.encode() + b"\n")
            held = "" if move.new else names.folded(move.ref)

    def _lock(self, move: RefMove, path: str) -> None:
        take_lock(path, self._refs.notices)
        self._locked.append(path)
        if self._refs.read(move.ref) != move.old:
            raise Conflict(
                f"{move.ref} moved in the meantime",
                hint="run the command again; it will start from where the ref is now",
            )

    def _check_room(self, move: RefMove) -> None:
        """Raises Conflict if the new ref would be below another ref or have one below it, or share
        a file with one."""
        gone = {other.ref for other in self._moves if not other.new}
        if self._refs.folds:
            self._check_spelling(move.ref, gone)
        parts = move.ref.split("/")
        for count in range(3, len(parts)):
            above = "/".join(parts[:count])
            if above not in gone and self._refs.read(above):
                raise Conflict(f"{above} exists, so {move.ref} cannot")
        if self._refs.all(move.ref + "/").keys() - gone:
            raise Conflict(f"refs below {move.ref} exist, so it cannot")

    def _check_spelling(self, ref: str, gone: set[str]) -> None:
        folder = ref.rpartition("/")[0] + "/"
        here = self._refs.all(folder).keys() - gone
        here |= {move.ref for move in self._moves if move.new and move.ref.startswith(folder)}
        for other in here - {ref}:
            if names.folded(other) == names.folded(ref):
                raise Conflict(
                    f"{other} exists, and this file system takes {ref} for the same file",
                    hint="choose another name",
                )

    def apply(self) -> None:
        """Write new refs before deleting old ones, so that some ref names a version at any moment,
        even if it moves from one name to another."""
        deleted = {move.ref for move in self._moves if not move.new}
        written = [move.ref for move in self._moves if move.new]
        later = bool(deleted) and _in_each_others_way(deleted, written)
        if not later:
            self._write(written)
        if packed := self._refs.packed_among(deleted):
            self._refs.drop_packed(packed)
        for ref in deleted:
            forget(self._refs.path(ref))
        if later:
            self._write(written)

    def _write(self, written: list[str]) -> None:
        for ref in written:
            path = self._refs.path(ref)
            _clear_empty(path)
            os.replace(path + ".lock", path)
            # From here on, a lock of that name would be somebody else's.
            if path in self._locked:
                self._locked.remove(path)

    def unlock(self) -> None:
        for path in self._locked:
            forget(path + ".lock")
        for move in self._moves:
            if not move.new:
                self._tidy(self._refs.path(move.ref))

    @staticmethod
    def _tidy(path: str) -> None:
        """Remove folders that became empty, up to but not including `refs/heads` and the like."""
        folder = os.path.dirname(path)
        while folder.rsplit("/", 2)[-2] != "refs" and not folder.endswith("/refs"):
            try:
                os.rmdir(folder)
            except OSError:
                return
            folder = os.path.dirname(folder)


def _in_each_others_way(deleted: Iterable[str], written: Iterable[str]) -> bool:
    """Whether a file of one set is where the other needs a folder, or has the same name on a file
    system that ignores case."""
    gone, come = set(map(names.folded, deleted)), set(map(names.folded, written))
    return not gone.isdisjoint(_with_folders(come)) or not come.isdisjoint(_with_folders(gone))


def _with_folders(refs: Iterable[str]) -> Iterator[str]:
    for ref in refs:
        parts = ref.split("/")
        yield from ("/".join(parts[:count]) for count in range(3, len(parts) + 1))


def _remove_empty(folder: str) -> None:
    try:  # noqa: SIM105 - contextlib costs start-up
        os.rmdir(folder)
    except OSError:
        pass


def _clear_empty(path: str) -> None:
    """Remove an empty folder left where the ref's file belongs."""
    if os.path.isdir(path):
        for folder, _, _ in os.walk(path, topdown=False):
            os.rmdir(folder)


def take_lock(path: str, notices: list[str] | None = None) -> None:
    """Create `path.lock`, waiting for a living holder and clearing a dead one's. Raises StoreBusy.

    The caller holds the store's lock, so no gitsession process can be the holder. A lock older than
    a second, or one that we have watched for a second (clocks may be wrong), is a leftover.
    Clearing one is reported in `notices`.
    """
    lock = path + ".lock"
    watched_since = time.monotonic()
    seen, first_seen = 0, watched_since
    while time.monotonic() - watched_since < _PATIENCE:
        try:
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            return
        except FileNotFoundError:
            make_folder(os.path.dirname(lock))
            continue
        except FileExistsError:
            pass
        try:
            state = os.stat(lock)
        except FileNotFoundError:
            continue
        now = time.monotonic()
        if state.st_ino != seen:
            seen, first_seen = state.st_ino, now
        age = max(time.time() - state.st_mtime, now - first_seen)
        if age > _STALE:
            forget(lock)
            if notices is not None:
                name = path.rpartition("/refs/")[2] if "/refs/" in path else "packed-refs"
                notices.append(f"cleared a lock of {name} that was left {int(age)} seconds ago")
        else:
            time.sleep(0.02)
    raise StoreBusy(
        "a git program holds the lock of a ref", hint="wait for it to end and try again"
    )
